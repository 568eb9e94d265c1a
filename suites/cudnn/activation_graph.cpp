#include <optional>
#include <string>

#include "cudnn/graph_solver.h"
#include "harness/primitive.h"

namespace benanza::cudnn {
namespace {

using Id = OperationGraph::Id;

std::optional<cudnnPointwiseMode_t> single_mode(const Activation& shape) {
  switch (shape.kind) {
    case ActivationKind::gelu:
      return CUDNN_POINTWISE_GELU_FWD;
    case ActivationKind::gelu_tanh:
      return CUDNN_POINTWISE_GELU_APPROX_TANH_FWD;
    case ActivationKind::erf:
      return CUDNN_POINTWISE_ERF;
    case ActivationKind::softplus:
      return CUDNN_POINTWISE_SOFTPLUS_FWD;
    case ActivationKind::exp:
      return CUDNN_POINTWISE_EXP;
    case ActivationKind::log:
      return CUDNN_POINTWISE_LOG;
    case ActivationKind::floor:
      return CUDNN_POINTWISE_FLOOR;
    case ActivationKind::ceil:
      return CUDNN_POINTWISE_CEIL;
    case ActivationKind::sin:
      return CUDNN_POINTWISE_SIN;
    case ActivationKind::cos:
      return CUDNN_POINTWISE_COS;
    case ActivationKind::pow:
      if (shape.alpha == -1) return CUDNN_POINTWISE_RECIPROCAL;
      break;
    default:
      break;
  }
  return std::nullopt;
}

/// From tensor x to tensor y; `dims` of both.
void function(const Activation& shape, OperationGraph& graph, const Dims& dims, Id x, Id y) {
  constexpr Id none = OperationGraph::none;
  const auto through = [&](cudnnPointwiseMode_t mode, Id from, Id operand) {
    const Id made = graph.intermediate(dims);
    graph.pointwise({mode}, from, operand, made);
    return made;
  };
  if (const auto mode = single_mode(shape)) {
    graph.pointwise({*mode}, x, none, y);
  } else if (shape.kind == ActivationKind::swish) {
    graph.pointwise({.mode = CUDNN_POINTWISE_SWISH_FWD, .swish_beta = shape.alpha}, x, none, y);
  } else if (shape.kind == ActivationKind::pow) {
    graph.pointwise({CUDNN_POINTWISE_POW}, x, graph.scalar(shape.alpha, dims.size()), y);
  } else if (shape.kind == ActivationKind::mish) {
    const Id inner = through(CUDNN_POINTWISE_SOFTPLUS_FWD, x, none);
    graph.pointwise({CUDNN_POINTWISE_MUL}, through(CUDNN_POINTWISE_TANH_FWD, inner, none), x, y);
  } else if (shape.kind == ActivationKind::softsign) {
    const Id magnitude = through(CUDNN_POINTWISE_ABS, x, none);
    const Id divisor = through(CUDNN_POINTWISE_ADD, magnitude, graph.scalar(1, dims.size()));
    graph.pointwise({CUDNN_POINTWISE_DIV}, x, divisor, y);
  } else {
    throw Unsupported("cuDNN has no " + std::string(shape.op()));
  }
}

std::vector<GraphCall> calls(const Activation& shape, const Variant& variant) {
  if (variant.precision == Precision::int8) {
    throw Unsupported("int8 " + std::string(shape.op()) + " needs a result scale of its own");
  }
  // Where the elements lie is of no matter. The library wants channels innermost, and more than
  // one.
  const std::int64_t count = element_count(shape.input);
  const std::int64_t last = shape.input.empty() ? 1 : shape.input.back();
  const std::int64_t length = last > 1 ? last : count;
  const Dims dims{count / length, length, 1, 1};
  const TensorFormat format{variant.precision, dims, {length, 1, length, length}};
  GraphCall call;
  call.inputs = {format};
  call.output = format;
  call.bound = {call.graph.tensor(format), call.graph.tensor(format)};
  function(shape, call.graph, dims, call.bound[0], call.bound[1]);
  std::vector<GraphCall> found;
  found.push_back(std::move(call));
  return found;
}

}  // namespace

GraphCalls activation_graphs(const Activation& shape) {
  return [shape](const Variant& variant) { return calls(shape, variant); };
}

}  // namespace benanza::cudnn
