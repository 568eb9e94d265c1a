#include "suites/cudnn/graph/functions.h"

#include <cmath>
#include <optional>
#include <string>

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

/// The single library function for `shape`, if there is one.
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

std::optional<cudnnPointwiseMode_t> single_mode(BinaryKind kind) {
  switch (kind) {
    case BinaryKind::add:
      return CUDNN_POINTWISE_ADD;
    case BinaryKind::sub:
      return CUDNN_POINTWISE_SUB;
    case BinaryKind::mul:
      return CUDNN_POINTWISE_MUL;
    case BinaryKind::div:
      return CUDNN_POINTWISE_DIV;
    case BinaryKind::max:
      return CUDNN_POINTWISE_MAX;
    case BinaryKind::min:
      return CUDNN_POINTWISE_MIN;
    case BinaryKind::power:
      return CUDNN_POINTWISE_POW;
    default:
      return std::nullopt;
  }
}

std::optional<cudnnPointwiseMode_t> comparison_mode(BinaryKind kind) {
  switch (kind) {
    case BinaryKind::eq:
      return CUDNN_POINTWISE_CMP_EQ;
    case BinaryKind::ne:
      return CUDNN_POINTWISE_CMP_NEQ;
    case BinaryKind::lt:
      return CUDNN_POINTWISE_CMP_LT;
    case BinaryKind::le:
      return CUDNN_POINTWISE_CMP_LE;
    case BinaryKind::gt:
      return CUDNN_POINTWISE_CMP_GT;
    case BinaryKind::ge:
      return CUDNN_POINTWISE_CMP_GE;
    default:
      return std::nullopt;
  }
}

/// A virtual tensor of booleans.
Id compared(OperationGraph& graph, cudnnPointwiseMode_t mode, const nvidia::TensorFormat& format,
            Id a, Id b) {
  const Id made = graph.intermediate(format, CUDNN_DATA_BOOLEAN);
  graph.pointwise({mode}, a, b, made);
  return made;
}

BinaryKind binary_kind(CombineKind kind) {
  switch (kind) {
    case CombineKind::add:
      return BinaryKind::add;
    case CombineKind::sub:
      return BinaryKind::sub;
    case CombineKind::mul:
      return BinaryKind::mul;
    case CombineKind::div:
      return BinaryKind::div;
    case CombineKind::max:
      return BinaryKind::max;
    case CombineKind::min:
      return BinaryKind::min;
  }
  return BinaryKind::add;
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
  if (const auto mode = single_mode(kind)) {
    graph.pointwise({*mode}, a, b, y);
    return;
  }
  const auto scalar = [&](float value) { return graph.scalar(value, format_y.dims.size()); };
  if (const auto mode = comparison_mode(kind)) {
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
  const BinaryKind kind = binary_kind(step.kind);
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
