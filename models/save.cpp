#include "models/save.h"

#include <filesystem>

#include "core/base/error.h"
#include "core/base/file.h"

namespace benanza {

void save(const ::onnx::ModelProto& model, const std::string& path) {
  // write_file() renames over its target, which would destroy a device or a pipe.
  if (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path)) {
    throw Error(path + ": is not a regular file; give the path of a file to write");
  }
  std::string bytes;
  if (!model.SerializeToString(&bytes)) {
    throw Error(path + ": cannot serialize the model; it is too large for protobuf");
  }
  write_file(path, bytes);
}

}  // namespace benanza
