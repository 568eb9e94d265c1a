#include "generator/onnx/read/tool_conversions.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "generator/onnx/model/node.h"

namespace benanza::onnx {
namespace {

using ::onnx::NodeProto;
using ::onnx::TensorProto;

struct Conversion {
  std::string_view domain;
  std::string_view op;
  std::string_view standard;
  /// Type of the result where no zero point says it; 0: the standard's.
  int type = 0;
  /// Type of the first input where the file stores it as bytes; 0: those bytes.
  int stored = 0;
};

constexpr int float8e4m3fn = 17;
constexpr int int4 = 22;
constexpr std::string_view trt = "trt";
constexpr std::string_view quark = "com.amd.quark";
constexpr std::string_view vitis = "com.vai.quantize";
constexpr Conversion conversions[] = {
    {trt, "QuantizeLinear", "QuantizeLinear"},
    {trt, "DequantizeLinear", "DequantizeLinear"},
    {trt, "TRT_FP8QuantizeLinear", "QuantizeLinear", float8e4m3fn},
    {trt, "TRT_FP8DequantizeLinear", "DequantizeLinear", 0, float8e4m3fn},
    {trt, "TRT_INT8QuantizeLinear", "QuantizeLinear", TensorProto::INT8},
    {trt, "TRT_INT8DequantizeLinear", "DequantizeLinear"},
    {trt, "TRT_INT4QuantizeLinear", "QuantizeLinear", int4},
    {trt, "TRT_INT4DequantizeLinear", "DequantizeLinear"},
    // Scales are powers of two, as bytes.
    {trt, "TRT_MXFP8DequantizeLinear", "DequantizeLinear", TensorProto::FLOAT, float8e4m3fn},
    {quark, "ExtendedQuantizeLinear", "QuantizeLinear"},
    {quark, "ExtendedDequantizeLinear", "DequantizeLinear"},
    {vitis, "ExtendedQuantizeLinear", "QuantizeLinear"},
    {vitis, "ExtendedDequantizeLinear", "DequantizeLinear"},
    {vitis, "VitisQuantizeLinear", "QuantizeLinear"},
    {vitis, "VitisDequantizeLinear", "DequantizeLinear"},
};

const Conversion* conversion(const NodeProto& node) {
  const auto* const found = std::ranges::find_if(conversions, [&](const Conversion& one) {
    return one.op == node.op_type() && one.domain == node.domain();
  });
  return found == std::end(conversions) ? nullptr : found;
}

bool states_type(const NodeProto& node) {
  const bool has_point = node.input_size() > 2 && !node.input(2).empty();
  return has_point || std::ranges::any_of(node.attribute(), [](const auto& attribute) {
           return attribute.name() == "output_dtype";
         });
}

void rename(NodeProto& node, const Conversion& known) {
  constexpr int first_opset_with_types = 21;
  const bool needs_type = known.type != 0 && !states_type(node);
  node.set_op_type(std::string(known.standard));
  node.set_domain(versioned_domain("", first_opset_with_types));
  if (!needs_type) return;
  auto& type = *node.add_attribute();
  type.set_name("output_dtype");
  type.set_type(::onnx::AttributeProto::INT);
  type.set_i(known.type);
}

/// Gives stored bytes the type as which the nodes read them.
void retype(::onnx::GraphProto& graph, const std::set<std::string>& names, int type) {
  for (TensorProto& tensor : *graph.mutable_initializer()) {
    if (tensor.data_type() == TensorProto::UINT8 && names.contains(tensor.name())) {
      tensor.set_data_type(type);
    }
  }
}

}  // namespace

void rename_tool_conversions(::onnx::ModelProto& model) {
  std::set<std::string> floats;
  for (NodeProto& node : *model.mutable_graph()->mutable_node()) {
    const Conversion* const known = conversion(node);
    if (known == nullptr) continue;
    if (known->stored == float8e4m3fn && node.input_size() > 0) floats.insert(node.input(0));
    rename(node, *known);
  }
  retype(*model.mutable_graph(), floats, float8e4m3fn);
  for (auto& function : *model.mutable_functions()) {
    for (NodeProto& node : *function.mutable_node()) {
      if (const Conversion* const known = conversion(node)) rename(node, *known);
    }
  }
}

}  // namespace benanza::onnx
