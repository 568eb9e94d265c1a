#include "suites/onednn/api/library_call.h"

#include <dnnl_debug.h>

#include <new>

#include "suites/harness/primitive.h"

namespace benanza::onednn {

void throw_error(const dnnl::error& error, bool making_descriptor, const std::string& what,
                 const std::source_location& where) {
  if (error.status == dnnl_out_of_memory) throw std::bad_alloc();
  const std::string words =
      std::string("oneDNN: ") + error.what() + " (" + dnnl_status2str(error.status) + ")";
  if (making_descriptor &&
      (error.status == dnnl_unimplemented || error.status == dnnl_invalid_arguments)) {
    throw harness::Unsupported(words);
  }
  throw std::runtime_error(words + ", " + what + ", " + where.file_name() + ":" +
                           std::to_string(where.line()));
}

}  // namespace benanza::onednn
