#include "suites/cudnn/graph/functions.h"

#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "core/base/lookup.h"
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

/// Functions without parameters.
constexpr std::pair<ActivationKind, cudnnPointwiseMode_t> function_modes[] = {
    {ActivationKind::relu, CUDNN_POINTWISE_RELU_FWD},
    {ActivationKind::sigmoid, CUDNN_POINTWISE_SIGMOID_FWD},
    {ActivationKind::tanh, CUDNN_POINTWISE_TANH_FWD},
    {ActivationKind::gelu, CUDNN_POINTWISE_GELU_FWD},
    {ActivationKind::gelu_tanh, CUDNN_POINTWISE_GELU_APPROX_TANH_FWD},
    {ActivationKind::erf, CUDNN_POINTWISE_ERF},
    {ActivationKind::softplus, CUDNN_POINTWISE_SOFTPLUS_FWD},
    {ActivationKind::exp, CUDNN_POINTWISE_EXP},
    {ActivationKind::log, CUDNN_POINTWISE_LOG},
    {ActivationKind::sqrt, CUDNN_POINTWISE_SQRT},
    {ActivationKind::abs, CUDNN_POINTWISE_ABS},
    {ActivationKind::floor, CUDNN_POINTWISE_FLOOR},
    {ActivationKind::ceil, CUDNN_POINTWISE_CEIL},
    {ActivationKind::sin, CUDNN_POINTWISE_SIN},
    {ActivationKind::cos, CUDNN_POINTWISE_COS}};

constexpr std::pair<BinaryKind, cudnnPointwiseMode_t> operation_modes[] = {
    {BinaryKind::add, CUDNN_POINTWISE_ADD},  {BinaryKind::sub, CUDNN_POINTWISE_SUB},
    {BinaryKind::mul, CUDNN_POINTWISE_MUL},  {BinaryKind::div, CUDNN_POINTWISE_DIV},
    {BinaryKind::max, CUDNN_POINTWISE_MAX},  {BinaryKind::min, CUDNN_POINTWISE_MIN},
    {BinaryKind::power, CUDNN_POINTWISE_POW}};

constexpr std::pair<BinaryKind, cudnnPointwiseMode_t> comparison_modes[] = {
    {BinaryKind::eq, CUDNN_POINTWISE_CMP_EQ}, {BinaryKind::ne, CUDNN_POINTWISE_CMP_NEQ},
    {BinaryKind::lt, CUDNN_POINTWISE_CMP_LT}, {BinaryKind::le, CUDNN_POINTWISE_CMP_LE},
    {BinaryKind::gt, CUDNN_POINTWISE_CMP_GT}, {BinaryKind::ge, CUDNN_POINTWISE_CMP_GE}};

constexpr std::pair<CombineKind, BinaryKind> step_kinds[] = {
    {CombineKind::add, BinaryKind::add}, {CombineKind::sub, BinaryKind::sub},
    {CombineKind::mul, BinaryKind::mul}, {CombineKind::div, BinaryKind::div},
    {CombineKind::max, BinaryKind::max}, {CombineKind::min, BinaryKind::min}};

/// The single library function for `shape`, if there is one.
std::optional<Pointwise> single(const Activation& shape) {
  if (const auto mode = found_in(function_modes, shape.kind)) return Pointwise{*mode};
  const auto alpha = static_cast<double>(shape.alpha);
  switch (shape.kind) {
    case ActivationKind::clip:
      if (std::isfinite(shape.alpha)) return clip(shape.alpha, shape.beta);
      break;
    case ActivationKind::leaky_relu:
      return Pointwise{.mode = CUDNN_POINTWISE_RELU_FWD, .slope = alpha};
    case ActivationKind::elu:
      return Pointwise{.mode = CUDNN_POINTWISE_ELU_FWD, .elu_alpha = alpha};
    case ActivationKind::swish:
      return Pointwise{.mode = CUDNN_POINTWISE_SWISH_FWD, .swish_beta = alpha};
    case ActivationKind::pow:
      if (alpha == -1) return Pointwise{CUDNN_POINTWISE_RECIPROCAL};
      break;
    default:
      break;
  }
  return std::nullopt;
}

/// A virtual tensor of booleans.
Id compared(OperationGraph& graph, cudnnPointwiseMode_t mode, const nvidia::TensorFormat& format,
            Id a, Id b) {
  const Id made = graph.intermediate(format, CUDNN_DATA_BOOLEAN);
  graph.pointwise({mode}, a, b, made);
  return made;
}

}  // namespace

void add_function(OperationGraph& graph, const Activation& shape,
                  const nvidia::TensorFormat& format, Id x, Id y, Relu relu) {
  constexpr Id none = OperationGraph::none;
  const auto through = [&](const Pointwise& step, Id from, Id operand) {
    const Id made = graph.intermediate(format);
    graph.pointwise(step, from, operand, made);
    return made;
  };
  const auto scalar = [&](float value) { return graph.scalar(value, format.dims.size()); };
  if (shape.kind == ActivationKind::relu && relu == Relu::maximum) {
    graph.pointwise({CUDNN_POINTWISE_MAX}, x, scalar(0), y);
  } else if (const auto only = single(shape)) {
    graph.pointwise(*only, x, none, y);
  } else if (shape.kind == ActivationKind::pow && shape.alpha == 2) {
    graph.pointwise({CUDNN_POINTWISE_MUL}, x, x, y);
  } else if (shape.kind == ActivationKind::pow && shape.alpha == 3) {
    // The library's power takes several times as long as two products.
    graph.pointwise({CUDNN_POINTWISE_MUL}, through({CUDNN_POINTWISE_MUL}, x, x), x, y);
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

void add_operation(OperationGraph& graph, BinaryKind kind, const nvidia::TensorFormat& format_a,
                   const nvidia::TensorFormat& format_y, Id a, Id b, Id y, Comparison comparison) {
  if (const auto mode = found_in(operation_modes, kind)) {
    graph.pointwise({*mode}, a, b, y);
    return;
  }
  const auto scalar = [&](float value) { return graph.scalar(value, format_y.dims.size()); };
  if (const auto mode = found_in(comparison_modes, kind)) {
    if (comparison == Comparison::stored) {
      graph.pointwise({*mode}, a, b, y);
      return;
    }
    const Id truths = compared(graph, *mode, format_y, a, b);
    graph.pointwise({CUDNN_POINTWISE_BINARY_SELECT}, scalar(1), scalar(0), y, truths);
    return;
  }
  const auto against_zero = [&](cudnnPointwiseMode_t mode) {
    const Id made = graph.intermediate(format_a);
    graph.pointwise({mode}, a, graph.scalar(0, format_a.dims.size()), made);
    return made;
  };
  const Id above = against_zero(CUDNN_POINTWISE_MAX);
  const Id below = graph.intermediate(format_y);
  graph.pointwise({CUDNN_POINTWISE_MUL}, against_zero(CUDNN_POINTWISE_MIN), b, below);
  graph.pointwise({CUDNN_POINTWISE_ADD}, below, above, y);
}

void add_selection(OperationGraph& graph, const nvidia::TensorFormat& format_condition,
                   const nvidia::TensorFormat& format_y, Id condition, Id a, Id b, Id y,
                   Chosen chosen) {
  const bool ones = chosen == Chosen::where_one;
  const Id truths = compared(graph, ones ? CUDNN_POINTWISE_CMP_NEQ : CUDNN_POINTWISE_CMP_EQ,
                             format_condition, condition, graph.scalar(0, format_y.dims.size()));
  graph.pointwise({CUDNN_POINTWISE_BINARY_SELECT}, a, b, y, truths);
}

void Chain::add(BinaryKind kind, Id operand) {
  add([=, this](Id from, Id to) {
    add_operation(graph_, kind, format_, format_, from, operand, to);
  });
}

void Chain::add(const Activation& function, Relu relu) {
  add([=, this](Id from, Id to) { add_function(graph_, function, format_, from, to, relu); });
}

void Chain::add(const Combine& step, Id operand) {
  const BinaryKind kind = found_in(step_kinds, step.kind).value();
  const bool reversed = step.reversed;
  add([=, this](Id from, Id to) {
    add_operation(graph_, kind, format_, format_, reversed ? operand : from,
                  reversed ? from : operand, to);
  });
}

void Chain::add(const std::vector<Step>& steps, const std::function<Id(Dims)>& operand) {
  for (const Step& step : steps) {
    if (const auto* function = std::get_if<Activation>(&step)) {
      // After other steps, only engines compiled at run time remain.
      add(*function, Relu::maximum);
    } else {
      const auto& combine = std::get<Combine>(step);
      add(combine, operand(combine.y));
    }
  }
}

void Chain::finish(Id result) {
  Id value = OperationGraph::none;
  for (std::size_t step = 0; step < links_.size(); ++step) {
    const bool is_last = step + 1 == links_.size();
    const Id next = is_last ? result : graph_.intermediate(format_);
    links_[step](value, next);
    value = next;
  }
}

}  // namespace benanza::cudnn
