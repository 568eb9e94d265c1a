#include "generator/onnx/model/check_model.h"

#include "core/base/error.h"
#include "generator/onnx/model/node.h"

namespace benanza::onnx {
namespace {

bool is_known(std::int64_t standard_opset) {
  return standard_opset >= 1 && standard_opset <= max_opset;
}

}  // namespace

std::string unknown_opset(const Node& node) {
  if (!node.domain().empty() || is_known(node.opset())) return "";
  return "its function imports opset " + std::to_string(node.opset()) +
         " of the standard operators, which is unknown";
}

int standard_opset(const ::onnx::ModelProto& model) {
  for (const auto& import : model.opset_import()) {
    if (canonical_domain(import.domain()).empty()) return static_cast<int>(import.version());
  }
  return 0;
}

void check_model(const ::onnx::ModelProto& model, const std::string& where) {
  if (!model.has_graph()) {
    throw Error(where +
                ": holds no graph, so it is not an ONNX model: " + "pass a complete .onnx file");
  }
  if (model.opset_import().empty()) {
    throw Error(where + ": names no opset: export it again, or add opset_import");
  }
  for (const auto& import : model.opset_import()) {
    if (!canonical_domain(import.domain()).empty()) continue;
    if (!is_known(import.version())) {
      throw Error(where + ": opset " + std::to_string(import.version()) +
                  " is unknown: convert the model to opset 7 to " + std::to_string(max_opset));
    }
  }
  if (model.graph().node().empty()) {
    throw Error(where + ": the graph has no nodes, so there is nothing to measure");
  }
}

}  // namespace benanza::onnx
