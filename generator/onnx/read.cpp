#include "generator/onnx/read.h"

#include "core/base/error.h"
#include "core/base/mapped_file.h"
#include "generator/onnx/external.h"
#include "generator/onnx/node.h"
#include "generator/onnx/wire.h"

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

int standard_opset(const ::onnx::ModelProto& model) {
  for (const auto& import : model.opset_import()) {
    if (canonical_domain(import.domain()).empty()) return static_cast<int>(import.version());
  }
  return 0;
}

void check_model(const ::onnx::ModelProto& model, const std::string& where) {
  if (!model.has_graph()) {
    throw Error(where + ": holds no graph, so it is not an ONNX model: " + std::string(remedy));
  }
  if (model.opset_import().empty()) {
    throw Error(where + ": names no opset: export it again, or add opset_import");
  }
  for (const auto& import : model.opset_import()) {
    if (!canonical_domain(import.domain()).empty()) continue;
    if (import.version() < 1 || import.version() > max_opset) {
      throw Error(where + ": opset " + std::to_string(import.version()) +
                  " is unknown: convert the model to opset 7 to " + std::to_string(max_opset));
    }
  }
  if (model.graph().node().empty()) {
    throw Error(where + ": the graph has no nodes, so there is nothing to measure");
  }
}

}  // namespace benanza::onnx
