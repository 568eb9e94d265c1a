#include "generator/onnx/read/tool_conversions.h"

#include <onnx/defs/schema.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// Of a renamed node: the type of the numbers that its first input stores as bytes.
constexpr std::string_view stored_type_attribute = "benanza.stored_type";

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

void state(NodeProto& node, std::string_view name, int value) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(std::string(name));
  attribute.set_type(::onnx::AttributeProto::INT);
  attribute.set_i(value);
}

void rename(NodeProto& node, const Conversion& known) {
  constexpr int first_opset_with_types = 21;
  const bool needs_type = known.type != 0 && !states_type(node);
  node.set_op_type(std::string(known.standard));
  node.set_domain(versioned_domain("", first_opset_with_types));
  if (needs_type) state(node, "output_dtype", known.type);
  if (known.stored != 0) state(node, stored_type_attribute, known.stored);
}

/// Calls `visit` with every node, including those of bodies.
template <class Nodes, class Visit>
void each_node(Nodes& nodes, const Visit& visit) {
  for (NodeProto& node : nodes) {
    visit(node);
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) each_node(*attribute.mutable_g()->mutable_node(), visit);
      for (auto& body : *attribute.mutable_graphs()) each_node(*body.mutable_node(), visit);
    }
  }
}

/// Calls `visit` with every stored tensor, by the name under which nodes read it.
template <class Visit>
void each_stored(::onnx::GraphProto& graph, const Visit& visit) {
  for (TensorProto& tensor : *graph.mutable_initializer()) visit(tensor.name(), tensor);
  for (NodeProto& node : *graph.mutable_node()) {
    for (auto& attribute : *node.mutable_attribute()) {
      const bool is_value = node.op_type() == "Constant" && node.output_size() == 1;
      if (is_value && attribute.has_t()) visit(node.output(0), *attribute.mutable_t());
      if (attribute.has_g()) each_stored(*attribute.mutable_g(), visit);
      for (auto& body : *attribute.mutable_graphs()) each_stored(body, visit);
    }
  }
}

/// Takes the attribute of the stored type away, and returns it; 0 if there is none.
int take_stored_type(NodeProto& node) {
  for (int index = 0; index < node.attribute_size(); ++index) {
    if (node.attribute(index).name() != stored_type_attribute) continue;
    const auto type = static_cast<int>(node.attribute(index).i());
    node.mutable_attribute()->DeleteSubrange(index, 1);
    return type;
  }
  return 0;
}

void add_import(::onnx::ModelProto& model, const std::string& domain, int version) {
  const auto names_it = [&](const auto& import) { return import.domain() == domain; };
  if (std::ranges::any_of(model.opset_import(), names_it)) return;
  auto& import = *model.add_opset_import();
  import.set_domain(domain);
  import.set_version(version);
}

}  // namespace

void rename_tool_conversions(::onnx::ModelProto& model) {
  const auto visit = [](NodeProto& node) {
    if (const Conversion* const known = conversion(node)) rename(node, *known);
  };
  each_node(*model.mutable_graph()->mutable_node(), visit);
  for (auto& function : *model.mutable_functions()) each_node(*function.mutable_node(), visit);
}

void retype_stored_bytes(::onnx::ModelProto& model) {
  std::map<std::string, int> types;
  std::map<std::string, std::string> views;
  each_node(*model.mutable_graph()->mutable_node(), [&](NodeProto& node) {
    const int type = take_stored_type(node);
    if (node.input_size() == 0 || node.output_size() == 0) return;
    if (type != 0) types[node.input(0)] = type;
    constexpr std::string_view moving[] = {"Identity", "Reshape", "Transpose"};
    if (std::ranges::find(moving, node.op_type()) != std::end(moving)) {
      views[node.output(0)] = node.input(0);
    }
  });
  std::vector<std::pair<std::string, int>> open(types.begin(), types.end());
  while (!open.empty()) {
    const auto [name, type] = open.back();
    open.pop_back();
    const auto view = views.find(name);
    if (view == views.end() || !types.try_emplace(view->second, type).second) continue;
    open.emplace_back(view->second, type);
  }
  if (types.empty()) return;
  each_stored(*model.mutable_graph(), [&](const std::string& name, TensorProto& tensor) {
    const auto found = types.find(name);
    if (found == types.end() || tensor.data_type() != TensorProto::UINT8) return;
    tensor.set_data_type(found->second);
  });
}

void add_default_imports(::onnx::ModelProto& model) {
  const auto& known = ::onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map();
  add_import(model, "com.microsoft", 1);
  add_import(model, "ai.onnx.ml", known.at("ai.onnx.ml").second);
}

}  // namespace benanza::onnx
