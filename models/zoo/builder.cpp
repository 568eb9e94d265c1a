#include "zoo/builder.h"

#include <bit>
#include <functional>
#include <map>
#include <numeric>
#include <stdexcept>

namespace benanza::zoo {
namespace {

// Raw tensor data is little-endian by ONNX's definition; it is copied from memory below.
static_assert(std::endian::native == std::endian::little);

std::int64_t element_count(const Dims& dims) {
  return std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
}

std::string to_string(const Dims& dims) {
  std::string text;
  for (const std::int64_t extent : dims) {
    text += text.empty() ? "" : "x";
    text += std::to_string(extent);
  }
  return text;
}

[[noreturn]] void misfit(const LayerName& name, const std::string& what, const Tensor& x) {
  throw std::logic_error(name.node + ": " + what + ", but " + x.name + " is " + to_string(x.dims));
}

void check_image(const LayerName& name, const Tensor& x) {
  if (x.dims.size() != 4) {
    misfit(name, "wants batch x channels x height x width", x);
  }
}

onnx::AttributeProto& add_attribute(onnx::NodeProto& node, const std::string& name) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  return attribute;
}

void set(onnx::NodeProto& node, const std::string& name, std::int64_t value) {
  onnx::AttributeProto& attribute = add_attribute(node, name);
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(value);
}

void set(onnx::NodeProto& node, const std::string& name, float value) {
  onnx::AttributeProto& attribute = add_attribute(node, name);
  attribute.set_type(onnx::AttributeProto::FLOAT);
  attribute.set_f(value);
}

void set(onnx::NodeProto& node, const std::string& name, const Dims& values) {
  onnx::AttributeProto& attribute = add_attribute(node, name);
  attribute.set_type(onnx::AttributeProto::INTS);
  attribute.mutable_ints()->Add(values.begin(), values.end());
}

void set(onnx::NodeProto& node, const Window& window) {
  const auto& [kernel, stride, pads, dilation] = window;
  set(node, "kernel_shape", {kernel, kernel});
  set(node, "strides", {stride, stride});
  set(node, "pads", {pads.begin, pads.begin, pads.end, pads.end});
  if (dilation != 1) {
    set(node, "dilations", {dilation, dilation});
  }
}

/// Extents after a window slides over height and width, rounded down.
Dims slide(const LayerName& name, const Tensor& x, const Window& window, std::int64_t channels) {
  check_image(name, x);
  const std::int64_t reach = window.dilation * (window.kernel - 1) + 1;
  Dims result = {x.dims[0], channels};
  for (const std::int64_t extent : {x.dims[2], x.dims[3]}) {
    const std::int64_t room = extent + window.pads.begin + window.pads.end - reach;
    if (room < 0) {
      misfit(name, "window of " + std::to_string(reach) + " does not fit", x);
    }
    result.push_back(room / window.stride + 1);
  }
  return result;
}

void set_float_type(onnx::ValueInfoProto& value, const Tensor& tensor) {
  value.set_name(tensor.name);
  onnx::TypeProto::Tensor& type = *value.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t extent : tensor.dims) {
    type.mutable_shape()->add_dim()->set_dim_value(extent);
  }
}

}  // namespace

ModelBuilder::ModelBuilder(const std::string& id, const BuildOptions& options)
    : batch_(options.batch) {
  if (options.seed) {
    random_.emplace(*options.seed);
  }
  model_.set_ir_version(ir_version);
  model_.set_producer_name("benanza-zoo");
  model_.mutable_graph()->set_name(id);
  onnx::OperatorSetIdProto& operators = *model_.add_opset_import();
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

onnx::NodeProto& ModelBuilder::add_node(const std::string& op_type, const LayerName& name,
                                        const std::vector<std::string>& inputs) {
  onnx::NodeProto& node = *model_.mutable_graph()->add_node();
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
    onnx::TensorProto& tensor = *model_.mutable_graph()->add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::INT64);
    tensor.add_dims(static_cast<std::int64_t>(values.size()));
    tensor.set_raw_data(values.data(), values.size() * sizeof(std::int64_t));
  }
  return name;
}

Tensor ModelBuilder::weight(const std::string& name, const Dims& dims, Use use,
                            std::int64_t fan_in) {
  ++weights_;
  parameters_ += element_count(dims);
  onnx::GraphProto& graph = *model_.mutable_graph();
  if (random_) {
    std::vector<float> values(static_cast<std::size_t>(element_count(dims)));
    random_->fill(values, use, fan_in);
    onnx::TensorProto& tensor = *graph.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.mutable_dims()->Add(dims.begin(), dims.end());
    tensor.set_raw_data(values.data(), values.size() * sizeof(float));
  } else {
    // Weights of one shape share the constant that holds it, and the node has no name of its own:
    // both keep the file small.
    onnx::NodeProto& node = *graph.add_node();
    node.set_op_type("ConstantOfShape");
    node.add_input(integers("shape_" + to_string(dims), dims));
    node.add_output(name);
    onnx::AttributeProto& attribute = add_attribute(node, "value");
    attribute.set_type(onnx::AttributeProto::TENSOR);
    onnx::TensorProto& value = *attribute.mutable_t();
    value.set_data_type(onnx::TensorProto::FLOAT);
    value.add_dims(1);
    value.add_float_data(constant_value(use, fan_in));
  }
  return {name, dims};
}

Tensor ModelBuilder::elementwise(const std::string& op_type, const LayerName& name,
                                 const Tensor& x) {
  add_node(op_type, name, {x.name});
  return {name.output, x.dims};
}

Tensor ModelBuilder::conv(const LayerName& name, const Tensor& x, const Conv& conv,
                          const LinearWeights& weights) {
  check_image(name, x);
  const auto& [filters, window, groups] = conv;
  if (x.dims[1] % groups != 0 || filters % groups != 0) {
    misfit(name, std::to_string(groups) + " groups do not divide the channels", x);
  }
  const std::int64_t channels = x.dims[1] / groups;
  std::vector<std::string> inputs = {x.name};
  inputs.push_back(weight(weights.kernel, {filters, channels, window.kernel, window.kernel},
                          Use::kernel, channels * window.kernel * window.kernel)
                       .name);
  if (weights.bias) {
    inputs.push_back(weight(*weights.bias, {filters}, Use::bias).name);
  }
  onnx::NodeProto& node = add_node("Conv", name, inputs);
  set(node, window);
  if (groups != 1) {
    set(node, "group", groups);
  }
  return {name.output, slide(name, x, window, filters)};
}

Tensor ModelBuilder::batch_norm(const LayerName& name, const Tensor& x,
                                const BatchNormWeights& weights, const BatchNorm& parameters) {
  const Dims channels = {x.dims.at(1)};
  const std::vector<std::string> inputs = {x.name, weight(weights.scale, channels, Use::scale).name,
                                           weight(weights.bias, channels, Use::bias).name,
                                           weight(weights.mean, channels, Use::mean).name,
                                           weight(weights.variance, channels, Use::variance).name};
  onnx::NodeProto& node = add_node("BatchNormalization", name, inputs);
  set(node, "epsilon", parameters.epsilon);
  set(node, "momentum", parameters.momentum);
  return {name.output, x.dims};
}

Tensor ModelBuilder::relu(const LayerName& name, const Tensor& x) {
  return elementwise("Relu", name, x);
}

Tensor ModelBuilder::pool(const std::string& op_type, const LayerName& name, const Tensor& x,
                          const Window& window) {
  set(add_node(op_type, name, {x.name}), window);
  return {name.output, slide(name, x, window, x.dims[1])};
}

Tensor ModelBuilder::max_pool(const LayerName& name, const Tensor& x, const Window& window) {
  return pool("MaxPool", name, x, window);
}

Tensor ModelBuilder::average_pool(const LayerName& name, const Tensor& x, const Window& window) {
  return pool("AveragePool", name, x, window);
}

Tensor ModelBuilder::global_average_pool(const LayerName& name, const Tensor& x) {
  check_image(name, x);
  add_node("GlobalAveragePool", name, {x.name});
  return {name.output, {x.dims[0], x.dims[1], 1, 1}};
}

Tensor ModelBuilder::lrn(const LayerName& name, const Tensor& x, const Lrn& lrn) {
  onnx::NodeProto& node = add_node("LRN", name, {x.name});
  set(node, "size", lrn.size);
  set(node, "alpha", lrn.alpha);
  set(node, "beta", lrn.beta);
  set(node, "bias", lrn.bias);
  return {name.output, x.dims};
}

Tensor ModelBuilder::concat(const LayerName& name, const std::vector<Tensor>& parts) {
  Tensor result{name.output, parts.at(0).dims};
  std::vector<std::string> inputs;
  result.dims.at(1) = 0;
  for (const Tensor& part : parts) {
    inputs.push_back(part.name);
    Dims expected = result.dims;
    expected.at(1) = part.dims.at(1);
    if (part.dims != expected) {
      misfit(name, "parts differ beyond their channels", part);
    }
    result.dims[1] += part.dims[1];
  }
  set(add_node("Concat", name, inputs), "axis", std::int64_t{1});
  return result;
}

Tensor ModelBuilder::binary(const std::string& op_type, const LayerName& name, const Tensor& a,
                            const Tensor& b) {
  bool fits = b.dims.size() <= a.dims.size();
  for (std::size_t i = 1; fits && i <= b.dims.size(); ++i) {
    const std::int64_t extent = b.dims[b.dims.size() - i];
    fits = extent == 1 || extent == a.dims[a.dims.size() - i];
  }
  if (!fits) {
    misfit(name, "wants what broadcasts to " + to_string(a.dims), b);
  }
  add_node(op_type, name, {a.name, b.name});
  return {name.output, a.dims};
}

Tensor ModelBuilder::add(const LayerName& name, const Tensor& a, const Tensor& b) {
  return binary("Add", name, a, b);
}

Tensor ModelBuilder::multiply(const LayerName& name, const Tensor& a, const Tensor& b) {
  return binary("Mul", name, a, b);
}

Tensor ModelBuilder::dropout(const LayerName& name, const Tensor& x, float ratio,
                             const std::optional<std::string>& mask) {
  onnx::NodeProto& node = add_node("Dropout", name, {x.name});
  if (mask) {
    node.add_output(*mask);
  }
  set(node, "ratio", ratio);
  return {name.output, x.dims};
}

Tensor ModelBuilder::flatten(const LayerName& name, const Tensor& x) {
  set(add_node("Flatten", name, {x.name}), "axis", std::int64_t{1});
  return {name.output, {x.dims[0], element_count(x.dims) / x.dims[0]}};
}

Tensor ModelBuilder::reshape(const LayerName& name, const Tensor& x, const std::string& target_name,
                             const Dims& target) {
  Dims dims = target;
  std::int64_t known = 1;
  std::int64_t* inferred = nullptr;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] == 0) {
      dims[axis] = x.dims.at(axis);
    }
    if (dims[axis] == -1) {
      inferred = &dims[axis];
    } else {
      known *= dims[axis];
    }
  }
  if (inferred != nullptr) {
    *inferred = element_count(x.dims) / known;
  }
  if (element_count(dims) != element_count(x.dims)) {
    misfit(name, "cannot become " + to_string(target), x);
  }
  add_node("Reshape", name, {x.name, integers(target_name, target)});
  return {name.output, dims};
}

Tensor ModelBuilder::gemm(const LayerName& name, const Tensor& x, std::int64_t units,
                          const LinearWeights& weights) {
  if (x.dims.size() != 2) {
    misfit(name, "wants batch x features", x);
  }
  // Before opset 11 a Gemm has no optional operand.
  if (!weights.bias) {
    misfit(name, "wants a bias", x);
  }
  const Tensor kernel = weight(weights.kernel, {units, x.dims[1]}, Use::kernel, x.dims[1]);
  return gemm(name, x, kernel, *weights.bias);
}

Tensor ModelBuilder::gemm(const LayerName& name, const Tensor& x, const Tensor& kernel,
                          const std::string& bias) {
  if (x.dims.size() != 2 || kernel.dims.size() != 2 || x.dims[1] != kernel.dims[1]) {
    misfit(name, "wants batch x features for a kernel of " + to_string(kernel.dims), x);
  }
  const std::int64_t units = kernel.dims[0];
  const Tensor added = weight(bias, {units}, Use::bias);
  set(add_node("Gemm", name, {x.name, kernel.name, added.name}), "transB", std::int64_t{1});
  return {name.output, {x.dims[0], units}};
}

Tensor ModelBuilder::softmax(const LayerName& name, const Tensor& x) {
  set(add_node("Softmax", name, {x.name}), "axis", std::int64_t{1});
  return {name.output, x.dims};
}

Tensor ModelBuilder::unsqueeze(const LayerName& name, const Tensor& x, const Dims& axes) {
  set(add_node("Unsqueeze", name, {x.name}), "axes", axes);
  Dims dims = x.dims;
  for (const std::int64_t axis : axes) {
    dims.insert(dims.begin() + axis, 1);
  }
  return {name.output, dims};
}

void ModelBuilder::order_depth_first() {
  onnx::GraphProto& graph = *model_.mutable_graph();
  std::map<std::string, int> producers;
  for (int i = 0; i < graph.node_size(); ++i) {
    for (const std::string& output : graph.node(i).output()) {
      producers[output] = i;
    }
  }
  std::vector<onnx::NodeProto> ordered;
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
  for (const onnx::ValueInfoProto& output : graph.output()) {
    visit(output.name());
  }
  *graph.mutable_node() = {ordered.begin(), ordered.end()};
}

}  // namespace benanza::zoo
