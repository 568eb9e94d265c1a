#include "generator/tests/onnx/model.h"

#include "core/base/error.h"

namespace benanza::onnx {
namespace {

void set_value(::onnx::AttributeProto& proto, std::int64_t value) {
  proto.set_type(::onnx::AttributeProto::INT);
  proto.set_i(value);
}

void set_value(::onnx::AttributeProto& proto, float value) {
  proto.set_type(::onnx::AttributeProto::FLOAT);
  proto.set_f(value);
}

void set_value(::onnx::AttributeProto& proto, const std::string& value) {
  proto.set_type(::onnx::AttributeProto::STRING);
  proto.set_s(value);
}

void set_value(::onnx::AttributeProto& proto, const Dims& values) {
  proto.set_type(::onnx::AttributeProto::INTS);
  for (const std::int64_t value : values) proto.add_ints(value);
}

void set_value(::onnx::AttributeProto& proto, const std::vector<float>& values) {
  proto.set_type(::onnx::AttributeProto::FLOATS);
  for (const float value : values) proto.add_floats(value);
}

}  // namespace

Model::Model(int opset) {
  proto_.set_ir_version(8);
  domain("", opset);
  graph().set_name("test");
}

Model& Model::domain(const std::string& domain, int version) {
  auto& import = *proto_.add_opset_import();
  import.set_domain(domain);
  import.set_version(version);
  return *this;
}

Model& Model::input(const std::string& name, const Dims& dims, int type) {
  auto& value = *graph().add_input();
  value.set_name(name);
  auto& tensor = *value.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  tensor.mutable_shape();
  for (const std::int64_t extent : dims) {
    auto& dimension = *tensor.mutable_shape()->add_dim();
    if (extent >= 0) dimension.set_dim_value(extent);
    if (extent < -1) dimension.set_dim_param("N");
  }
  return *this;
}

Model& Model::weights(const std::string& name, const Dims& dims) {
  auto& tensor = *graph().add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(::onnx::TensorProto::FLOAT);
  for (const std::int64_t extent : dims) tensor.add_dims(extent);
  tensor.mutable_float_data()->Resize(static_cast<int>(element_count(dims)), 0);
  return *this;
}

Model& Model::integers(const std::string& name, const Dims& values) {
  auto& tensor = *graph().add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(::onnx::TensorProto::INT64);
  tensor.add_dims(static_cast<std::int64_t>(values.size()));
  for (const std::int64_t value : values) tensor.add_int64_data(value);
  return *this;
}

Model& Model::scalar(const std::string& name, float value) {
  auto& tensor = *graph().add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(::onnx::TensorProto::FLOAT);
  tensor.add_float_data(value);
  return *this;
}

Model& Model::reals(const std::string& name, const Dims& dims, const std::vector<float>& values) {
  auto& tensor = *graph().add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(::onnx::TensorProto::FLOAT);
  for (const std::int64_t extent : dims) tensor.add_dims(extent);
  for (const float value : values) tensor.add_float_data(value);
  return *this;
}

Model& Model::truths(const std::string& name, const Dims& dims, const std::vector<bool>& values) {
  auto& tensor = *graph().add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(::onnx::TensorProto::BOOL);
  for (const std::int64_t extent : dims) tensor.add_dims(extent);
  for (const bool value : values) tensor.add_int32_data(value ? 1 : 0);
  return *this;
}

Model& Model::node(const std::string& op_type, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs, Attributes attributes) {
  auto& node = *graph().add_node();
  node.set_op_type(op_type);
  node.set_name(outputs.front());
  for (const std::string& input : inputs) node.add_input(input);
  for (const std::string& name : outputs) node.add_output(name);
  for (const auto& [name, value] : attributes) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name);
    std::visit([&](const auto& held) { set_value(attribute, held); }, value);
  }
  return *this;
}

Model& Model::output(const std::string& name) {
  graph().add_output()->set_name(name);
  return *this;
}

::onnx::GraphProto& body_of(Model& model, const std::string& name) {
  auto& attribute = *model.last().add_attribute();
  attribute.set_name(name);
  attribute.set_type(::onnx::AttributeProto::GRAPH);
  return *attribute.mutable_g();
}

::onnx::GraphProto& body_of_last(Model& model) {
  return *model.last().mutable_attribute(0)->mutable_g();
}

::onnx::NodeProto& add_node(::onnx::GraphProto& graph, const std::string& op,
                            const std::vector<std::string>& inputs, const std::string& output) {
  auto& node = *graph.add_node();
  node.set_op_type(op);
  for (const std::string& input : inputs) node.add_input(input);
  node.add_output(output);
  return node;
}

const LoweredLayer& named(const LoweredGraph& graph, const std::string& name) {
  for (const LoweredLayer& layer : graph.layers) {
    if (layer.name == name) return layer;
  }
  throw Error("no layer " + name);
}

LoweredGraph Model::import(const Binding& binding) const {
  LoweredGraph graph = import_what_can_be_read(binding);
  for (const std::string& warning : graph.warnings) {
    if (warning.find(": this layer is unsupported") != std::string::npos) throw Error(warning);
  }
  return graph;
}

LoweredGraph Model::import_what_can_be_read(const Binding& binding) const {
  return import_model(proto_, "test", binding, "test.onnx");
}

}  // namespace benanza::onnx
