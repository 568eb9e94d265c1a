// The layers of ModelBuilder: shapes, attributes, weights.

#include <stdexcept>

#include "models/zoo/attributes.h"
#include "models/zoo/builder.h"

namespace benanza::zoo {
namespace {

[[noreturn]] void misfit(const LayerName& name, const std::string& what, const Tensor& x) {
  throw std::logic_error(name.node + ": " + what + ", but " + x.name + " is " + to_string(x.dims));
}

void check_image(const LayerName& name, const Tensor& x) {
  if (x.dims.size() != 4) {
    misfit(name, "wants batch x channels x height x width", x);
  }
}

void set_window(::onnx::NodeProto& node, const Window& window) {
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

}  // namespace

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
  ::onnx::NodeProto& node = add_node("Conv", name, inputs);
  set_window(node, window);
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
  ::onnx::NodeProto& node = add_node("BatchNormalization", name, inputs);
  set(node, "epsilon", parameters.epsilon);
  set(node, "momentum", parameters.momentum);
  return {name.output, x.dims};
}

Tensor ModelBuilder::relu(const LayerName& name, const Tensor& x) {
  return elementwise("Relu", name, x);
}

Tensor ModelBuilder::leaky_relu(const LayerName& name, const Tensor& x, float alpha) {
  set(add_node("LeakyRelu", name, {x.name}), "alpha", alpha);
  return {name.output, x.dims};
}

Tensor ModelBuilder::prelu(const LayerName& name, const Tensor& x, const Tensor& slope) {
  return binary("PRelu", name, x, slope);
}

Tensor ModelBuilder::identity(const LayerName& name, const Tensor& x) {
  return elementwise("Identity", name, x);
}

Tensor ModelBuilder::image_scaler(const LayerName& name, const Tensor& x, float scale,
                                  const std::vector<float>& bias) {
  check_image(name, x);
  ::onnx::NodeProto& node = add_node("ImageScaler", name, {x.name});
  set(node, "scale", scale);
  set_floats(node, "bias", bias);
  return {name.output, x.dims};
}

Tensor ModelBuilder::pool(const std::string& op_type, const LayerName& name, const Tensor& x,
                          const Window& window) {
  set_window(add_node(op_type, name, {x.name}), window);
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
  ::onnx::NodeProto& node = add_node("LRN", name, {x.name});
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

Tensor ModelBuilder::subtract(const LayerName& name, const Tensor& a, const Tensor& b) {
  return binary("Sub", name, a, b);
}

Tensor ModelBuilder::divide(const LayerName& name, const Tensor& a, const Tensor& b) {
  return binary("Div", name, a, b);
}

Tensor ModelBuilder::sum(const LayerName& name, const std::vector<Tensor>& terms) {
  std::vector<std::string> inputs;
  for (const Tensor& term : terms) {
    if (term.dims != terms.at(0).dims) {
      misfit(name, "wants tensors of " + to_string(terms[0].dims), term);
    }
    inputs.push_back(term.name);
  }
  add_node("Sum", name, inputs);
  return {name.output, terms.at(0).dims};
}

Tensor ModelBuilder::dropout(const LayerName& name, const Tensor& x, float ratio,
                             const std::optional<std::string>& mask) {
  ::onnx::NodeProto& node = add_node("Dropout", name, {x.name});
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
  // Before opset 11 all operands of Gemm are required.
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

Tensor ModelBuilder::matmul(const LayerName& name, const Tensor& x, const Tensor& b) {
  if (x.dims.size() != 2 || b.dims.size() != 2 || x.dims[1] != b.dims[0]) {
    misfit(name, "wants batch x features for " + to_string(b.dims), x);
  }
  add_node("MatMul", name, {x.name, b.name});
  return {name.output, {x.dims[0], b.dims[1]}};
}

Tensor ModelBuilder::transpose(const LayerName& name, const Tensor& x, const Dims& order) {
  Dims dims;
  for (const std::int64_t axis : order) {
    dims.push_back(x.dims.at(static_cast<std::size_t>(axis)));
  }
  set(add_node("Transpose", name, {x.name}), "perm", order);
  return {name.output, dims};
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

}  // namespace benanza::zoo
