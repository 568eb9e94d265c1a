#include "generator/onnx/read/tensorrt.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "generator/onnx/model/node.h"

namespace benanza::onnx {
namespace {

using ::onnx::NodeProto;

struct Conversion {
  std::string_view op;
  std::string_view standard;
  /// Type of the result where no zero point says it; 0: the standard's.
  int type = 0;
};

constexpr int float8e4m3fn = 17;
constexpr int int4 = 22;
constexpr Conversion conversions[] = {
    {"QuantizeLinear", "QuantizeLinear"},
    {"DequantizeLinear", "DequantizeLinear"},
    {"TRT_FP8QuantizeLinear", "QuantizeLinear", float8e4m3fn},
    {"TRT_FP8DequantizeLinear", "DequantizeLinear"},
    {"TRT_INT8QuantizeLinear", "QuantizeLinear", ::onnx::TensorProto::INT8},
    {"TRT_INT8DequantizeLinear", "DequantizeLinear"},
    {"TRT_INT4QuantizeLinear", "QuantizeLinear", int4},
    {"TRT_INT4DequantizeLinear", "DequantizeLinear"},
};

void rename(NodeProto& node) {
  if (node.domain() != "trt") return;
  const auto found = std::ranges::find(conversions, node.op_type(), &Conversion::op);
  if (found == std::end(conversions)) return;
  constexpr int first_opset_with_types = 21;
  node.set_op_type(std::string(found->standard));
  node.set_domain(versioned_domain("", first_opset_with_types));
  const bool has_point = node.input_size() > 2 && !node.input(2).empty();
  if (found->type == 0 || has_point) return;
  auto& type = *node.add_attribute();
  type.set_name("output_dtype");
  type.set_type(::onnx::AttributeProto::INT);
  type.set_i(found->type);
}

}  // namespace

void rename_tensorrt_conversions(::onnx::ModelProto& model) {
  for (NodeProto& node : *model.mutable_graph()->mutable_node()) rename(node);
  for (auto& function : *model.mutable_functions()) {
    for (NodeProto& node : *function.mutable_node()) rename(node);
  }
}

}  // namespace benanza::onnx
