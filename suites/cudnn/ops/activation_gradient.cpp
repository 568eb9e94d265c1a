#include "suites/cudnn/ops/activation_gradient.h"

#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <utility>

#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/api/status.h"
#include "suites/cudnn/graph/elementwise.h"
#include "suites/cudnn/primitive/call.h"
#include "suites/cudnn/primitive/library.h"
#include "suites/harness/primitive.h"
#include "suites/nvidia/device/device_memory.h"
#include "suites/nvidia/device/tensor_format.h"

namespace benanza::cudnn {
namespace {

using Id = OperationGraph::Id;

/// The library's own gradient, from what the problem reads, if it has one.
std::optional<Pointwise> whole_gradient(const ActivationGradient& shape) {
  const Activation& function = shape.forward;
  const auto alpha = static_cast<double>(function.alpha);
  using enum ActivationKind;
  switch (function.kind) {
    case relu:  // y > 0 exactly if x > 0
      return Pointwise{CUDNN_POINTWISE_RELU_BWD};
    case leaky_relu:
      return Pointwise{.mode = CUDNN_POINTWISE_RELU_BWD, .slope = alpha};
    case elu:
      if (shape.of_result()) return std::nullopt;
      return Pointwise{.mode = CUDNN_POINTWISE_ELU_BWD, .elu_alpha = alpha};
    case swish:
      return Pointwise{.mode = CUDNN_POINTWISE_SWISH_BWD, .swish_beta = alpha};
    case gelu:
      return Pointwise{CUDNN_POINTWISE_GELU_BWD};
    case gelu_tanh:
      return Pointwise{CUDNN_POINTWISE_GELU_APPROX_TANH_BWD};
    case softplus:
      return Pointwise{CUDNN_POINTWISE_SOFTPLUS_BWD};
    default:
      return std::nullopt;
  }
}

/// Builds formulas from virtual tensors.
class Formula {
 public:
  Formula(OperationGraph& graph, const nvidia::TensorFormat& format)
      : graph_(graph), format_(format) {}

  Id of(cudnnPointwiseMode_t function, Id a, Id b = OperationGraph::none) {
    const Id made = graph_.intermediate(format_);
    graph_.pointwise({function}, a, b, made);
    return made;
  }
  Id times(Id a, float factor) { return of(CUDNN_POINTWISE_MUL, a, number(factor)); }
  Id plus(Id a, float term) { return of(CUDNN_POINTWISE_ADD, a, number(term)); }
  Id product(Id a, Id b) { return of(CUDNN_POINTWISE_MUL, a, b); }
  Id square(Id a) { return product(a, a); }
  Id one_minus(Id a) { return plus(times(a, -1), 1); }
  /// Whether the formula contains a selection.
  bool chooses() const { return chooses_; }
  Id number(float value) { return graph_.scalar(value, format_.dims.size()); }
  /// `yes` where a is above (below) `bound`, `no` elsewhere.
  Id where(cudnnPointwiseMode_t comparison, Id a, float bound, Id yes, Id no) {
    chooses_ = true;
    const Id truths = graph_.intermediate(format_, CUDNN_DATA_BOOLEAN);
    graph_.pointwise({comparison}, a, number(bound), truths);
    const Id made = graph_.intermediate(format_);
    graph_.pointwise({CUDNN_POINTWISE_BINARY_SELECT}, yes, no, made, truths);
    return made;
  }
  Id where_above(Id a, float bound, Id yes, Id no) {
    return where(CUDNN_POINTWISE_CMP_GT, a, bound, yes, no);
  }
  Id where_below(Id a, float bound, Id yes, Id no) {
    return where(CUDNN_POINTWISE_CMP_LT, a, bound, yes, no);
  }

 private:
  OperationGraph& graph_;
  const nvidia::TensorFormat& format_;
  bool chooses_ = false;
};

/// The derivative at `v`, which is the function's result or its input (ActivationGradient).
Id derivative(Formula& f, const ActivationGradient& shape, Id v) {
  const float alpha = shape.forward.alpha;
  const float beta = shape.forward.beta;
  using enum ActivationKind;
  switch (shape.forward.kind) {
    case clip: {
      Id inside = f.number(1);
      if (std::isfinite(beta)) inside = f.where_below(v, beta, inside, f.number(0));
      if (std::isfinite(alpha)) inside = f.where_above(v, alpha, inside, f.number(0));
      return inside;
    }
    case elu:
      return f.where_above(v, 0, f.number(1), f.plus(v, alpha));
    case sigmoid:
      return f.product(v, f.one_minus(v));
    case tanh:
      return f.one_minus(f.square(v));
    case exp:
      return v;
    case sqrt:
      return f.times(f.of(CUDNN_POINTWISE_RECIPROCAL, v), 0.5F);
    case erf: {
      const Id density = f.of(CUDNN_POINTWISE_EXP, f.times(f.square(v), -1));
      return f.times(density, 2 * std::numbers::inv_sqrtpi_v<float>);
    }
    case hard_swish: {
      const Id inside = f.plus(f.times(v, 1.0F / 3), 0.5F);
      return f.where_above(v, -3, f.where_below(v, 3, inside, f.number(1)), f.number(0));
    }
    case softsign: {
      const Id root = f.plus(f.of(CUDNN_POINTWISE_ABS, v), 1);
      return f.of(CUDNN_POINTWISE_RECIPROCAL, f.square(root));
    }
    case mish: {
      const Id t = f.of(CUDNN_POINTWISE_TANH_FWD, f.of(CUDNN_POINTWISE_SOFTPLUS_FWD, v));
      const Id s = f.product(v, f.of(CUDNN_POINTWISE_SIGMOID_FWD, v));
      return f.of(CUDNN_POINTWISE_ADD, t, f.product(s, f.one_minus(f.square(t))));
    }
    case log:
      return f.of(CUDNN_POINTWISE_RECIPROCAL, v);
    case pow:
      if (alpha == 2) return f.times(v, 2);
      if (alpha == 3) return f.times(f.square(v), 3);
      return f.times(f.of(CUDNN_POINTWISE_POW, v, f.number(alpha - 1)), alpha);
    case abs:
      return f.where_above(v, 0, f.number(1), f.where_below(v, 0, f.number(-1), f.number(0)));
    case sin:
      return f.of(CUDNN_POINTWISE_COS, v);
    case cos:
      return f.times(f.of(CUDNN_POINTWISE_SIN, v), -1);
    default:
      throw harness::Unsupported("cuDNN has no " + std::string(shape.op()));
  }
}

}  // namespace

std::vector<GraphCall> activation_gradient_graphs(const ActivationGradient& shape,
                                                  const harness::Variant& variant) {
  if (variant.precision == Precision::int8) {
    throw harness::Unsupported("cuDNN has no int8 gradients");
  }
  const Dims& dims = shape.forward.input;
  GraphCall call;
  OperationGraph& graph = call.graph();
  call.output = dense(variant.precision, dims, variant.layout);
  call.inputs = {call.output, call.output};
  // Positions do not matter.
  const auto format = innermost_as_channels(variant.precision, as_matrix(element_count(dims)));
  const Id dy = graph.tensor(format);
  const Id v = graph.tensor(format);
  const Id dx = graph.tensor(format);
  call.bound = {dy, v, dx};
  if (const auto function = whole_gradient(shape)) {
    graph.pointwise_gradient(*function, v, dy, dx);
  } else {
    Formula formula(graph, format);
    graph.pointwise({CUDNN_POINTWISE_MUL}, dy, derivative(formula, shape, v), dx);
    // See select_graphs().
    call.needs_defaults = formula.chooses() && element_bytes(variant.precision) == 4;
  }
  std::vector<GraphCall> found;
  found.push_back(std::move(call));
  return found;
}

namespace {

class ActivationGradientFunction {
 public:
  ActivationGradientFunction(const harness::Variant& variant, const ActivationGradient& shape,
                             const ActivationCall& call)
      : format_(dense_output(variant)),
        tensor_(make_tensor(format_)),
        activation_(make_activation(call.mode, call.coefficient)),
        of_result_(shape.of_result()),
        is_clipped_(call.mode == CUDNN_ACTIVATION_CLIPPED_RELU),
        ceiling_(static_cast<float>(call.coefficient)) {
    if (!of_result_ || is_clipped_) other_ = nvidia::DeviceMemory(nvidia::span_bytes(format_));
  }

  /// Computes the call's other operand.
  void uploaded(const CudnnPrimitive& call, std::size_t operand, std::span<const float> values) {
    if (operand != 1) return;
    if (is_clipped_) {
      std::vector<float> inputs(values.begin(), values.end());
      for (float& value : inputs) value = clipped_relu_input(value, ceiling_);
      other_.write(nvidia::to_storage(inputs, format_), call.stream());
    } else if (!of_result_) {
      BENANZA_CUDNN(cudnnActivationForward, call.handle(), activation_.get(), &one, tensor_.get(),
                    call.input(1), &zero, tensor_.get(), other_.data());
    }
  }

  void operator()(const CudnnPrimitive& call) const {
    const std::byte* y = of_result_ ? call.input(1) : other_.data();
    const std::byte* x = is_clipped_ ? other_.data() : call.input(1);
    BENANZA_CUDNN(cudnnActivationBackward, call.handle(), activation_.get(), &one, tensor_.get(), y,
                  tensor_.get(), call.input(0), tensor_.get(), x, &zero, tensor_.get(),
                  call.output());
  }

 private:
  nvidia::TensorFormat format_;
  TensorDescriptor tensor_;
  ActivationDescriptor activation_;
  bool of_result_;
  bool is_clipped_;
  float ceiling_;
  /// The input of a clipped relu, or the forward result.
  nvidia::DeviceMemory other_;
};

Ways activation_gradient_ways(Library& library, const ActivationGradient& shape,
                              const harness::Variant& prototype) {
  const ActivationCall one = map_activation_gradient(shape);
  refuse_int8_gradients(prototype);
  return {nvidia::way_of(library, prototype, "activation", [one, shape](const Request& request) {
    return call_of(request, dense_setup(request.variant),
                   ActivationGradientFunction(request.variant, shape, one));
  })};
}

std::vector<Layout> activation_gradient_layouts(const ActivationGradient& shape) {
  return image_layouts(shape.forward.input);
}

}  // namespace

ActivationCall map_activation_gradient(const ActivationGradient& shape) {
  const Activation& function = shape.forward;
  switch (function.kind) {
    case ActivationKind::relu:
      return {CUDNN_ACTIVATION_RELU, 0};
    case ActivationKind::sigmoid:
      return {CUDNN_ACTIVATION_SIGMOID, 0};
    case ActivationKind::tanh:
      return {CUDNN_ACTIVATION_TANH, 0};
    case ActivationKind::elu:
      if (function.alpha < 0) break;
      return {CUDNN_ACTIVATION_ELU, function.alpha};
    case ActivationKind::clip:
      if (function.alpha != 0 || !std::isfinite(function.beta)) break;
      return {CUDNN_ACTIVATION_CLIPPED_RELU, function.beta};
    case ActivationKind::swish:
      return {CUDNN_ACTIVATION_SWISH, function.alpha};
    default:
      break;
  }
  throw harness::Unsupported("cuDNN's call-per-layer functions have no " + std::string(shape.op()));
}

float clipped_relu_input(float y, float ceiling) { return y >= ceiling ? ceiling + 1 : y; }

void register_activation_gradient(WayTable& table) {
  table.add(functions<ActivationGradient>(activation_gradient_layouts, activation_gradient_ways));
  table.add(
      engines_of<ActivationGradient>(activation_gradient_layouts, activation_gradient_graphs));
}

}  // namespace benanza::cudnn
