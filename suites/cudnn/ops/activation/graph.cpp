#include "suites/cudnn/ops/activation/activation.h"

#include <cmath>
#include <optional>
#include <string>

#include "suites/cudnn/graph/elementwise.h"
#include "suites/cudnn/primitive/graph_solver.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {
namespace {

using Id = OperationGraph::Id;

Pointwise clip(float lower, float upper) {
  Pointwise made{CUDNN_POINTWISE_RELU_FWD};
  made.lower = static_cast<double>(lower);
  if (std::isfinite(upper)) made.upper = static_cast<double>(upper);
  return made;
}

/// The function that the library has for it, if it has one.
std::optional<Pointwise> single(const Activation& shape) {
  switch (shape.kind) {
    case ActivationKind::relu:
      return Pointwise{CUDNN_POINTWISE_RELU_FWD};
    case ActivationKind::clip:
      if (std::isfinite(shape.alpha)) return clip(shape.alpha, shape.beta);
      break;
    case ActivationKind::leaky_relu: {
      Pointwise made{CUDNN_POINTWISE_RELU_FWD};
      made.slope = static_cast<double>(shape.alpha);
      return made;
    }
    case ActivationKind::elu: {
      Pointwise made{CUDNN_POINTWISE_ELU_FWD};
      made.elu_alpha = static_cast<double>(shape.alpha);
      return made;
    }
    case ActivationKind::swish: {
      Pointwise made{CUDNN_POINTWISE_SWISH_FWD};
      made.swish_beta = static_cast<double>(shape.alpha);
      return made;
    }
    case ActivationKind::sigmoid:
      return Pointwise{CUDNN_POINTWISE_SIGMOID_FWD};
    case ActivationKind::tanh:
      return Pointwise{CUDNN_POINTWISE_TANH_FWD};
    case ActivationKind::gelu:
      return Pointwise{CUDNN_POINTWISE_GELU_FWD};
    case ActivationKind::gelu_tanh:
      return Pointwise{CUDNN_POINTWISE_GELU_APPROX_TANH_FWD};
    case ActivationKind::erf:
      return Pointwise{CUDNN_POINTWISE_ERF};
    case ActivationKind::softplus:
      return Pointwise{CUDNN_POINTWISE_SOFTPLUS_FWD};
    case ActivationKind::exp:
      return Pointwise{CUDNN_POINTWISE_EXP};
    case ActivationKind::log:
      return Pointwise{CUDNN_POINTWISE_LOG};
    case ActivationKind::sqrt:
      return Pointwise{CUDNN_POINTWISE_SQRT};
    case ActivationKind::abs:
      return Pointwise{CUDNN_POINTWISE_ABS};
    case ActivationKind::floor:
      return Pointwise{CUDNN_POINTWISE_FLOOR};
    case ActivationKind::ceil:
      return Pointwise{CUDNN_POINTWISE_CEIL};
    case ActivationKind::sin:
      return Pointwise{CUDNN_POINTWISE_SIN};
    case ActivationKind::cos:
      return Pointwise{CUDNN_POINTWISE_COS};
    case ActivationKind::pow:
      if (shape.alpha == -1) return Pointwise{CUDNN_POINTWISE_RECIPROCAL};
      break;
    default:
      break;
  }
  return std::nullopt;
}

/// From tensor x to tensor y; `dims` of both.
void function(const Activation& shape, OperationGraph& graph, const Dims& dims, Id x, Id y) {
  constexpr Id none = OperationGraph::none;
  const auto through = [&](const Pointwise& step, Id from, Id operand) {
    const Id made = graph.intermediate(dims);
    graph.pointwise(step, from, operand, made);
    return made;
  };
  const auto scalar = [&](float value) { return graph.scalar(value, dims.size()); };
  if (const auto only = single(shape)) {
    graph.pointwise(*only, x, none, y);
  } else if (shape.kind == ActivationKind::pow) {
    graph.pointwise({CUDNN_POINTWISE_POW}, x, scalar(shape.alpha), y);
  } else if (shape.kind == ActivationKind::clip && std::isfinite(shape.beta)) {
    graph.pointwise({CUDNN_POINTWISE_MIN}, x, scalar(shape.beta), y);
  } else if (shape.kind == ActivationKind::linear) {
    const Id scaled = through({CUDNN_POINTWISE_MUL}, x, scalar(shape.alpha));
    graph.pointwise({CUDNN_POINTWISE_ADD}, scaled, scalar(shape.beta), y);
  } else if (shape.kind == ActivationKind::hard_swish) {
    const Id scaled = through({CUDNN_POINTWISE_MUL}, x, scalar(1.0F / 6));
    const Id moved = through({CUDNN_POINTWISE_ADD}, scaled, scalar(0.5F));
    graph.pointwise({CUDNN_POINTWISE_MUL}, through(clip(0, 1), moved, none), x, y);
  } else if (shape.kind == ActivationKind::mish) {
    const Id inner = through({CUDNN_POINTWISE_SOFTPLUS_FWD}, x, none);
    graph.pointwise({CUDNN_POINTWISE_MUL}, through({CUDNN_POINTWISE_TANH_FWD}, inner, none), x, y);
  } else if (shape.kind == ActivationKind::softsign) {
    const Id magnitude = through({CUDNN_POINTWISE_ABS}, x, none);
    const Id divisor = through({CUDNN_POINTWISE_ADD}, magnitude, scalar(1));
    graph.pointwise({CUDNN_POINTWISE_DIV}, x, divisor, y);
  } else {
    throw harness::Unsupported("cuDNN has no " + std::string(shape.op()));
  }
}

}  // namespace

std::vector<GraphCall> activation_graphs(const Activation& shape, const harness::Variant& variant) {
  if (variant.precision == Precision::int8) {
    throw harness::Unsupported("int8 " + std::string(shape.op()) +
                               " needs a result scale of its own");
  }
  // Where the elements lie is of no matter.
  const nvidia::TensorFormat format =
      innermost_as_channels(variant.precision, as_matrix(element_count(shape.input)));
  GraphCall call;
  call.inputs = {format};
  call.output = format;
  call.bound = {call.graph.tensor(format), call.graph.tensor(format)};
  function(shape, call.graph, format.dims, call.bound[0], call.bound[1]);
  std::vector<GraphCall> found;
  found.push_back(std::move(call));
  return found;
}

}  // namespace benanza::cudnn
