#include "generator/onnx/read/read.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "generator/onnx/model/check_model.h"
#include "generator/onnx/read/external.h"
#include "generator/onnx/read/wire.h"

namespace benanza::onnx {
namespace {

constexpr std::string_view remedy = "pass a complete .onnx file";

}  // namespace

::onnx::ModelProto parse_model(std::string_view bytes, const std::string& where,
                               const std::function<void(const char*)>& passed) {
  if (bytes.empty()) throw Error(where + ": is empty: " + std::string(remedy));
  std::string stripped;
  try {
    stripped = without_weights(bytes, passed);
  } catch (const Error& error) {
    throw Error(where + ": " + error.what());
  }
  ::onnx::ModelProto model;
  if (!model.ParseFromArray(stripped.data(), static_cast<int>(stripped.size()))) {
    throw Error(where + ": is truncated or not an ONNX model: " + std::string(remedy));
  }
  check_model(model, where);
  return model;
}

::onnx::ModelProto read_model(const std::filesystem::path& path) {
  const std::string where = path.string();
  MappedFile file(path);
  ::onnx::ModelProto model =
      parse_model(file.bytes(), where, [&](const char* position) { file.forget_before(position); });
  try {
    load_small_tensors(*model.mutable_graph(), path.parent_path());
  } catch (const Error& error) {
    throw Error(where + ": " + error.what());
  }
  return model;
}

}  // namespace benanza::onnx
