#include "onnx/read.h"

#include <limits>

#include "base/error.h"
#include "base/file.h"
#include "onnx/node.h"

namespace benanza {
namespace {

constexpr std::string_view advice = "pass a complete .onnx file";

}  // namespace

onnx::ModelProto read_model(const std::filesystem::path& path) {
  const std::string bytes = read_file(path);
  const std::string where = path.string();
  if (bytes.empty()) throw Error(where + ": is empty: " + std::string(advice));
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw Error(where + ": is larger than 2 GiB: store its weights as external data");
  }
  onnx::ModelProto model;
  if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    throw Error(where + ": is truncated or not an ONNX model: " + std::string(advice));
  }
  check_model(model, where);
  return model;
}

int standard_opset(const onnx::ModelProto& model) {
  for (const auto& import : model.opset_import()) {
    if (canonical_domain(import.domain()).empty()) return static_cast<int>(import.version());
  }
  return 0;
}

void check_model(const onnx::ModelProto& model, const std::string& where) {
  if (!model.has_graph()) {
    throw Error(where + ": holds no graph, so it is not an ONNX model: " + std::string(advice));
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

}  // namespace benanza
