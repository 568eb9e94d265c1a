#include "suites/cudnn/primitive/library.h"

#include <stdexcept>

#include "suites/cudnn/api/status.h"
#include "suites/nvidia/device/check.h"

namespace benanza::cudnn {

Library::Library(CudaContext& cuda)
    : cuda_(cuda), handle_(make_library_handle()), graph_plans_(Target(handle_.get())) {
  BENANZA_CUDNN(cudnnSetStream, handle_.get(), cuda.stream());
}

void Library::check_workspace(std::int64_t bytes) const {
  const auto limit = cuda_.options().max_workspace_bytes;
  if (!limit || bytes <= *limit) return;
  throw std::runtime_error("needs a workspace of " + bytes_text(bytes) + ", --max-workspace is " +
                           bytes_text(*limit));
}

}  // namespace benanza::cudnn
