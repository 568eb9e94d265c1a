// Gradients: what PyTorch runs in the backward pass. A gradient's arguments are those of the
// forward operator behind the gradient of its result; the problem is derived from the forward one.

#include <utility>

#include "analysis/profiles/kineto/aten.h"

namespace benanza::analysis::kineto {
namespace {

/// An operator of the forward pass with some of a gradient's arguments.
struct Forward {
  explicit Forward(std::string_view name) : op{.name = "aten::" + std::string(name)} {}
  Forward& take(const Call& call, std::initializer_list<std::size_t> indices) {
    for (const std::size_t index : indices) op.arguments.push_back(call.argument(index));
    return *this;
  }
  Forward& skip() {
    op.arguments.emplace_back();
    return *this;
  }
  Forward& value(std::string text) {
    op.arguments.push_back({.value = std::move(text)});
    return *this;
  }
  Op op;
};

/// The first part that the forward operator does; without a problem if it is not determined.
Part first_part(const Forward& forward) {
  std::vector<Part> parts = parts_of(forward.op);
  if (parts.empty()) return {};
  const bool converts = parts.size() > 1 && parts.front().op == "Cast";
  Part first = std::move(parts[converts ? 1 : 0]);
  if (converts && !first.problem.empty()) {
    first.problem.clear();
    first.reason = "a conversion of types";
  }
  return first;
}

/// The gradient of a forward problem with regard to its input.
struct GradientOf {
  Part operator()(const Activation& shape) const { return made(ActivationGradient{shape}); }
  Part operator()(const Pooling& shape) const { return made(PoolingGradient{shape}); }
  Part operator()(const Softmax& shape) const { return made(SoftmaxGradient{shape}); }
  Part operator()(const LayerNormalization& shape) const {
    return made(LayerNormalizationGradient{shape});
  }
  Part operator()(const BatchNormalizationTraining& shape) const {
    return made(BatchNormalizationGradient{shape.input, shape.epsilon});
  }
  Part operator()(const auto&) const { return plain(op, {}); }

  template <class Shape>
  Part made(const Shape& shape) const {
    Part result = part(op, std::optional(shape), input);
    // Some problems have several results, or another view of them.
    result.output = input;
    return result;
  }
  std::string op;
  Dims input;
};

/// `input`: the extents of the gradient that is made.
std::vector<Part> gradient(const Forward& forward, const Dims& input) {
  const Part part = first_part(forward);
  const GradientOf make{part.op + "Grad", input};
  if (part.problem.empty()) {
    Part refused = plain(make.op, input);
    refused.reason = part.reason;
    return {std::move(refused)};
  }
  return {std::visit(make, parse(part.problem).shape)};
}

// gradient, then the forward operator's arguments
template <Literal name>
std::vector<Part> gradient_first(const Call& call) {
  Forward forward(name.text);
  for (std::size_t index = 1; index < call.size(); ++index) forward.take(call, {index});
  return gradient(forward, call.dims(1));
}

// gradient, input, weight, extents of the bias, stride, padding, dilation, transposed,
// output_padding, groups, which gradients are wanted: of input, weight, bias
std::vector<Part> of_convolution(const Call& call) {
  const Part part =
      first_part(Forward("convolution").take(call, {1, 2}).skip().take(call, {4, 5, 6, 7, 8, 9}));
  if (part.problem.empty()) return {plain("ConvGrad", {})};
  const Problem forward = parse(part.problem);
  const auto* const shape = std::get_if<Convolution>(&forward.shape);
  const std::vector<bool> wanted = call.truths(10);
  if (shape == nullptr || wanted.size() != 3) return {plain("ConvTransposeGrad", {})};
  std::vector<Part> parts;
  if (wanted[0]) {
    parts.push_back(kineto::part("ConvGrad", std::optional(data_gradient(*shape)), call.dims(1)));
  }
  if (wanted[1]) {
    parts.push_back(kineto::part(
        "ConvGrad", std::optional(ConvolutionFilterGradient{*shape, false}), call.dims(2)));
  }
  if (wanted[2]) {
    Dims axes{0};
    for (std::size_t axis = 2; axis < call.dims(0).size(); ++axis) {
      axes.push_back(static_cast<std::int64_t>(axis));
    }
    parts.push_back(kineto::part(
        "ConvGrad",
        std::optional(Reduction{.kind = ReductionKind::sum, .input = call.dims(0), .axes = axes})));
  }
  return parts;
}

// gradient, input or result, bound
std::vector<Part> of_threshold(const Call& call) {
  if (call.real(2).value_or(0) != 0) return {plain("ThresholdedReluGrad", call.dims(1))};
  return gradient(Forward("relu").take(call, {1}), call.dims(1));
}

// gradient, input, kernel, stride, padding, dilation, ceil_mode, where the maxima are
template <Literal name>
std::vector<Part> of_max_pool(const Call& call) {
  return gradient(Forward(name.text).take(call, {1, 2, 3, 4, 5, 6}), call.dims(1));
}

// gradient, input
std::vector<Part> of_adaptive_average(const Call& call) {
  const Dims& result = call.dims(0);
  if (result.size() < 3) return {plain("AveragePoolGrad", call.dims(1))};
  std::string extents;
  for (const std::int64_t extent : spatial(result)) {
    extents += (extents.empty() ? "[" : ", ") + std::to_string(extent);
  }
  return gradient(Forward("adaptive_avg_pool2d").take(call, {1}).value(extents + ']'),
                  call.dims(1));
}

// gradient, input, weight, mean, variance, saved mean, saved deviation, training, epsilon
std::vector<Part> of_native_batch_norm(const Call& call) {
  return gradient(
      Forward("native_batch_norm").take(call, {1, 2, 2, 3, 4, 7}).skip().take(call, {8}),
      call.dims(1));
}

// input, gradient, weight, mean, variance, saved mean, saved deviation, epsilon
std::vector<Part> of_cudnn_batch_norm(const Call& call) {
  return gradient(
      Forward("cudnn_batch_norm").take(call, {0, 2, 2, 3, 4}).value("True").skip().take(call, {7}),
      call.dims(0));
}

// gradient, input, extents of a row, mean, deviation, weight, bias. The epsilon, which is not among
// them, does not affect the time.
std::vector<Part> of_layer_norm(const Call& call) {
  return gradient(Forward("layer_norm").take(call, {1, 2, 5, 6}).value("1e-05"), call.dims(1));
}

constexpr Entry gradient_table[] = {
    {"convolution_backward", of_convolution, arguments<0, 3>},
    {"native_batch_norm_backward", of_native_batch_norm, arguments<0, 2, 3, 4, 5, 6, 9>,
     Types::of_first},
    {"cudnn_batch_norm_backward", of_cudnn_batch_norm, arguments<1, 2, 3, 4, 5, 6, 8>,
     Types::of_first},
    {"native_layer_norm_backward", of_layer_norm, arguments<0, 3, 4, 7>, Types::of_first},
    {"threshold_backward", of_threshold, arguments<0>},
    {"hardtanh_backward", gradient_first<"clamp">, arguments<0>},
    {"leaky_relu_backward", gradient_first<"leaky_relu">, arguments<0>},
    {"sigmoid_backward", gradient_first<"sigmoid">, arguments<0>},
    {"tanh_backward", gradient_first<"tanh">, arguments<0>},
    {"gelu_backward", gradient_first<"gelu">, arguments<0>},
    {"silu_backward", gradient_first<"silu">, arguments<0>},
    {"mish_backward", gradient_first<"mish">, arguments<0>},
    {"hardswish_backward", gradient_first<"hardswish">, arguments<0>},
    {"_softmax_backward_data", gradient_first<"softmax">, arguments<0>},
    {"_log_softmax_backward_data", gradient_first<"log_softmax">, arguments<0>},
    {"max_pool2d_with_indices_backward", of_max_pool<"max_pool2d_with_indices">, arguments<0, 7>,
     Types::of_first},
    {"max_pool3d_with_indices_backward", of_max_pool<"max_pool3d_with_indices">, arguments<0, 7>,
     Types::of_first},
    {"avg_pool2d_backward", gradient_first<"avg_pool2d">, arguments<0>},
    {"avg_pool3d_backward", gradient_first<"avg_pool3d">, arguments<0>},
    {"_adaptive_avg_pool2d_backward", of_adaptive_average},
};

}  // namespace

std::span<const Entry> gradient_operators() { return gradient_table; }

}  // namespace benanza::analysis::kineto
