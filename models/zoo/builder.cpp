#include "models/zoo/builder.h"

#include <bit>
#include <cmath>
#include <functional>
#include <map>

#include "models/zoo/attributes.h"

namespace benanza::zoo {
namespace {

struct Range {
  float low;
  float high;
};

Range range(Use use, std::int64_t fan_in) {
  switch (use) {
    case Use::kernel: {
      // A uniform distribution over [-a, a] has variance a^2 / 3.
      const float bound = std::sqrt(6.0F / static_cast<float>(fan_in));
      return {-bound, bound};
    }
    case Use::bias:
    case Use::mean:
      return {-0.1F, 0.1F};
    case Use::scale:
      return {0.5F, 1.0F};
    case Use::variance:
      return {0.5F, 1.5F};
    case Use::slope:
      return {0, 0.3F};
  }
  return {0, 0};
}

// ONNX defines raw tensor data as little-endian; it is copied from memory below.
static_assert(std::endian::native == std::endian::little);

void set_float_type(::onnx::ValueInfoProto& value, const Tensor& tensor) {
  value.set_name(tensor.name);
  ::onnx::TypeProto::Tensor& type = *value.mutable_type()->mutable_tensor_type();
  type.set_elem_type(::onnx::TensorProto::FLOAT);
  for (const std::int64_t extent : tensor.dims) {
    type.mutable_shape()->add_dim()->set_dim_value(extent);
  }
}

}  // namespace

float constant_value(Use use, std::int64_t fan_in) {
  return use == Use::kernel ? 1.0F / static_cast<float>(fan_in) : 0.5F;
}

void RandomWeights::fill(std::span<float> values, Use use, std::int64_t fan_in) {
  const auto [low, high] = range(use, fan_in);
  for (float& value : values) {
    // The top 24 bits fill a float's mantissa: a value in [0, 1), equal with every standard
    // library.
    const float unit = static_cast<float>(engine_() >> 40U) * 0x1p-24F;
    value = low + (high - low) * unit;
  }
}

ModelBuilder::ModelBuilder(const std::string& id, const BuildOptions& options)
    : batch_(options.batch) {
  if (options.seed) {
    random_.emplace(*options.seed);
  }
  model_.set_ir_version(ir_version);
  model_.set_producer_name("benanza-zoo");
  model_.mutable_graph()->set_name(id);
  ::onnx::OperatorSetIdProto& operators = *model_.add_opset_import();
  operators.set_domain("");
  operators.set_version(opset);
}

Tensor ModelBuilder::input(const std::string& name, const Dims& sample) {
  Tensor tensor{name, {batch_}};
  tensor.dims.insert(tensor.dims.end(), sample.begin(), sample.end());
  set_float_type(*model_.mutable_graph()->add_input(), tensor);
  return tensor;
}

void ModelBuilder::output(const Tensor& x) {
  set_float_type(*model_.mutable_graph()->add_output(), x);
}

::onnx::NodeProto& ModelBuilder::add_node(const std::string& op_type, const LayerName& name,
                                          const std::vector<std::string>& inputs) {
  ::onnx::NodeProto& node = *model_.mutable_graph()->add_node();
  node.set_op_type(op_type);
  node.set_name(name.node);
  for (const std::string& input : inputs) {
    node.add_input(input);
  }
  node.add_output(name.output);
  ++layers_;
  return node;
}

std::string ModelBuilder::integers(const std::string& name, const Dims& values) {
  if (constants_.insert(name).second) {
    ::onnx::TensorProto& tensor = *model_.mutable_graph()->add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(::onnx::TensorProto::INT64);
    tensor.add_dims(static_cast<std::int64_t>(values.size()));
    tensor.set_raw_data(values.data(), values.size() * sizeof(std::int64_t));
  }
  return name;
}

Tensor ModelBuilder::weight(const std::string& name, const Dims& dims, Use use,
                            std::int64_t fan_in) {
  ++weights_;
  parameters_ += element_count(dims);
  ::onnx::GraphProto& graph = *model_.mutable_graph();
  if (random_) {
    std::vector<float> values(static_cast<std::size_t>(element_count(dims)));
    random_->fill(values, use, fan_in);
    ::onnx::TensorProto& tensor = *graph.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(::onnx::TensorProto::FLOAT);
    tensor.mutable_dims()->Add(dims.begin(), dims.end());
    tensor.set_raw_data(values.data(), values.size() * sizeof(float));
  } else {
    // To keep the file small, weights of the same shape share the constant with the shape, and the
    // node has no name.
    ::onnx::NodeProto& node = *graph.add_node();
    node.set_op_type("ConstantOfShape");
    node.add_input(integers("shape_" + to_string(dims), dims));
    node.add_output(name);
    ::onnx::AttributeProto& attribute = add_attribute(node, "value");
    attribute.set_type(::onnx::AttributeProto::TENSOR);
    ::onnx::TensorProto& value = *attribute.mutable_t();
    value.set_data_type(::onnx::TensorProto::FLOAT);
    value.add_dims(1);
    value.add_float_data(constant_value(use, fan_in));
  }
  return {name, dims};
}

void ModelBuilder::order_depth_first() {
  ::onnx::GraphProto& graph = *model_.mutable_graph();
  std::map<std::string, int> producers;
  for (int i = 0; i < graph.node_size(); ++i) {
    for (const std::string& output : graph.node(i).output()) {
      producers[output] = i;
    }
  }
  std::vector<::onnx::NodeProto> ordered;
  const std::function<void(const std::string&)> visit = [&](const std::string& tensor) {
    const auto producer = producers.find(tensor);
    if (producer == producers.end()) {
      return;
    }
    const int index = producer->second;
    for (const std::string& output : graph.node(index).output()) {
      producers.erase(output);
    }
    for (const std::string& input : graph.node(index).input()) {
      visit(input);
    }
    ordered.push_back(graph.node(index));
  };
  for (const ::onnx::ValueInfoProto& output : graph.output()) {
    visit(output.name());
  }
  *graph.mutable_node() = {ordered.begin(), ordered.end()};
}

}  // namespace benanza::zoo
