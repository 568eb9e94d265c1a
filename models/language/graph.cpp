#include "models/language/graph.h"

#include <algorithm>

namespace benanza::language {
namespace {

void set_type(::onnx::ValueInfoProto& value, const Tensor& x, int type) {
  value.set_name(x.name);
  auto& tensor = *value.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  tensor.mutable_shape();
  for (const std::int64_t extent : x.dims) tensor.mutable_shape()->add_dim()->set_dim_value(extent);
}

}  // namespace

Graph::Graph(const std::string& name) {
  model_.set_ir_version(ir_version);
  model_.set_producer_name("benanza-zoo");
  model_.mutable_graph()->set_name(name);
  auto& standard = *model_.add_opset_import();
  standard.set_domain("");
  standard.set_version(opset);
  auto& microsoft = *model_.add_opset_import();
  microsoft.set_domain("com.microsoft");
  microsoft.set_version(1);
}

Tensor Graph::input(const std::string& name, int type, const Dims& dims) {
  Tensor x{name, dims};
  set_type(*model_.mutable_graph()->add_input(), x, type);
  return x;
}

void Graph::output(const Tensor& x, int type) {
  set_type(*model_.mutable_graph()->add_output(), x, type);
}

std::vector<Tensor> Graph::add(const std::string& op_type, const std::string& name,
                               const std::vector<Tensor>& inputs,
                               const std::vector<Dims>& outputs) {
  auto& node = *model_.mutable_graph()->add_node();
  node.set_op_type(op_type);
  node.set_name(name);
  for (const Tensor& x : inputs) node.add_input(x.name);
  std::vector<Tensor> results;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    results.push_back({i == 0 ? name : name + ":" + std::to_string(i), outputs[i]});
    node.add_output(results.back().name);
  }
  return results;
}

Tensor Graph::add(const std::string& op_type, const std::string& name,
                  const std::vector<Tensor>& inputs, const Dims& dims) {
  return add(op_type, name, inputs, std::vector<Dims>{dims}).front();
}

::onnx::NodeProto& Graph::last() {
  auto& nodes = *model_.mutable_graph()->mutable_node();
  return nodes[nodes.size() - 1];
}

Tensor Graph::filled(const std::string& name, int type, const Dims& dims, float value) {
  const Tensor shape = integers(name + ".shape", dims);
  const Tensor x = add("ConstantOfShape", name, {shape}, dims);
  auto& attribute = zoo::add_attribute(last(), "value");
  attribute.set_type(::onnx::AttributeProto::TENSOR);
  auto& tensor = *attribute.mutable_t();
  tensor.add_dims(1);
  tensor.set_data_type(type);
  if (type == ::onnx::TensorProto::FLOAT) {
    tensor.add_float_data(value);
  } else if (type == float8_e4m3fn) {
    tensor.add_int32_data(0x38);  // 1
  } else if (type == ::onnx::TensorProto::INT64) {
    tensor.add_int64_data(static_cast<std::int64_t>(value));
  } else {
    tensor.add_int32_data(static_cast<std::int32_t>(value));
  }
  return x;
}

Tensor Graph::parameter(const std::string& name, const Dims& dims, float value) {
  const std::int64_t numbers = zoo::element_count(dims);
  parameters_ += numbers;
  weight_bytes_ += 2 * numbers;
  return filled(name, ::onnx::TensorProto::FLOAT, dims, value);
}

Tensor Graph::packed(const std::string& name, int type, const Dims& dims, int bits,
                     std::int64_t numbers) {
  parameters_ += numbers;
  weight_bytes_ += numbers * bits / 8;
  return filled(name, type, dims, 1);
}

Tensor Graph::scales(const std::string& name, const Dims& dims) {
  weight_bytes_ += 2 * zoo::element_count(dims);
  return filled(name, ::onnx::TensorProto::FLOAT, dims, 1.0F / 64);
}

Tensor Graph::constant(const std::string& name, int type, const Dims& dims, float value) {
  const std::string full = "constants/" + name;
  if (std::ranges::find(constants_, full) != constants_.end()) return {full, dims};
  constants_.push_back(full);
  return filled(full, type, dims, value);
}

Tensor Graph::integers(const std::string& name, const std::vector<std::int64_t>& values) {
  const Tensor x{name, {static_cast<std::int64_t>(values.size())}};
  if (std::ranges::find(constants_, name) != constants_.end()) return x;
  constants_.push_back(name);
  auto& tensor = *model_.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(::onnx::TensorProto::INT64);
  tensor.add_dims(x.dims[0]);
  for (const std::int64_t value : values) tensor.add_int64_data(value);
  return x;
}

Tensor Graph::integer(const std::string& name, std::int64_t value, int type) {
  if (std::ranges::find(constants_, name) != constants_.end()) return {name, {}};
  constants_.push_back(name);
  auto& tensor = *model_.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  if (type == ::onnx::TensorProto::INT64) {
    tensor.add_int64_data(value);
  } else {
    tensor.add_int32_data(static_cast<std::int32_t>(value));
  }
  return {name, {}};
}

void Graph::describe(const std::string& key, const std::string& value) {
  auto& entry = *model_.add_metadata_props();
  entry.set_key("benanza." + key);
  entry.set_value(value);
}

}  // namespace benanza::language
