#include <onnx/onnx_pb.h>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/base/error.h"
#include "generator/onnx/model/node_view.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

/// Elementwise functions of one tensor.
namespace benanza::onnx {
namespace {

template <class Function>
std::vector<Literal> each(const NodeView& node, Function function) {
  Literal result = node.literal(0);
  std::visit(
      [&](auto& values) {
        for (auto& value : values) value = function(value);
      },
      result);
  return {result};
}

std::vector<Literal> fold_negate(const NodeView& node) {
  return each(node, [](auto value) {
    if constexpr (std::is_integral_v<decltype(value)>) {
      return checked_difference(0, value);
    } else {
      return -value;
    }
  });
}

std::vector<Literal> fold_absolute(const NodeView& node) {
  return each(node, [](auto value) {
    if constexpr (std::is_integral_v<decltype(value)>) {
      return value >= 0 ? value : checked_difference(0, value);
    } else {
      return std::abs(value);
    }
  });
}

std::vector<Literal> fold_sign(const NodeView& node) {
  return each(node, [](auto value) {
    return static_cast<decltype(value)>((value > 0 ? 1 : 0) - (value < 0 ? 1 : 0));
  });
}

std::vector<Literal> fold_logical_not(const NodeView& node) {
  return each(node, [](auto value) { return static_cast<decltype(value)>(value == 0); });
}

/// A function of reals. Integers stay as they are if `keeps_integers`; otherwise NotExpressible is
/// thrown.
template <double (*function)(double), bool keeps_integers = false>
std::vector<Literal> fold_real(const NodeView& node) {
  return each(node, [](auto value) {
    if constexpr (std::is_floating_point_v<decltype(value)>) return function(value);
    if (!keeps_integers) throw NotExpressible("a function of integers");
    return value;
  });
}

double floor_of(double value) { return std::floor(value); }
double ceil_of(double value) { return std::ceil(value); }
/// Rounds halves to even.
double round_of(double value) { return std::nearbyint(value); }
double sqrt_of(double value) { return std::sqrt(value); }
double exp_of(double value) { return std::exp(value); }
double log_of(double value) { return std::log(value); }
double erf_of(double value) { return std::erf(value); }
double reciprocal_of(double value) { return 1 / value; }

std::vector<Literal> fold_clip(const NodeView& node) {
  double least = -HUGE_VAL;
  double greatest = HUGE_VAL;
  if (node.opset() < 11) {
    least = node.real("min", -HUGE_VALF);
    greatest = node.real("max", HUGE_VALF);
  } else {
    least = node.scalar(1, least);
    greatest = node.scalar(2, greatest);
  }
  const auto as = [](auto value, double bound) {
    if constexpr (std::is_integral_v<decltype(value)>) return whole(bound);
    return static_cast<decltype(value)>(bound);
  };
  return each(node, [&](auto value) {
    if (static_cast<double>(value) < least) return as(value, least);
    if (static_cast<double>(value) > greatest) return as(value, greatest);
    return value;
  });
}

std::vector<TensorFacts> truth_shape(const NodeView& node) {
  return {{::onnx::TensorProto::BOOL, node.input(0).shape}};
}

Lowered lower_function(const NodeView& node, ActivationKind kind, float alpha = 0, float beta = 0) {
  return measured({function_call(node.extents(0), kind, from_input(0), alpha, beta)});
}

template <ActivationKind kind>
Lowered lower_plain(const NodeView& node) {
  return lower_function(node, kind);
}

Lowered lower_leaky_relu(const NodeView& node) {
  return lower_function(node, ActivationKind::leaky_relu, node.real("alpha", 0.01F));
}

Lowered lower_elu(const NodeView& node) {
  return lower_function(node, ActivationKind::elu, node.real("alpha", 1));
}

/// alpha * x + beta, clipped to [0, 1]: no library has it in one call.
Lowered lower_hard_sigmoid(const NodeView& node) {
  const Dims dims = node.extents(0);
  return measured({function_call(dims, ActivationKind::linear, from_input(0),
                                 node.real("alpha", 0.2F), node.real("beta", 0.5F)),
                   function_call(dims, ActivationKind::clip, from_call(0), 0, 1)});
}

Lowered lower_gelu(const NodeView& node) {
  const std::string approximation = node.text("approximate", "none");
  if (approximation == "tanh") return lower_plain<ActivationKind::gelu_tanh>(node);
  if (approximation != "none") throw NotExpressible("the approximation " + approximation);
  return lower_plain<ActivationKind::gelu>(node);
}

Lowered lower_swish(const NodeView& node) {
  return lower_function(node, ActivationKind::swish, node.real("alpha", 1));
}

/// swish(a) * b.
Lowered lower_swiglu(const NodeView& node) {
  Lowered lowered = lower_swish(node);
  lowered.calls.push_back(
      call(Binary{.kind = BinaryKind::mul, .a = node.extents(0), .b = node.extents(1)},
           {from_call(0), from_input(1)}));
  if (node.extents(0) != node.extents(1)) {
    throw Error("operands of " + join(node.extents(0), 'x') + " and " + join(node.extents(1), 'x'));
  }
  return lowered;
}

Call linear_call(const Dims& dims, float factor, Source source) {
  return function_call(dims, ActivationKind::linear, source, factor);
}

/// gamma * elu(x).
Lowered lower_selu(const NodeView& node) {
  const Dims dims = node.extents(0);
  return measured(
      {function_call(dims, ActivationKind::elu, from_input(0), node.real("alpha", 1.67326319F)),
       linear_call(dims, node.real("gamma", 1.05070102F), from_call(0))});
}

/// alpha * elu(x / alpha), where elu has an alpha of 1.
Lowered lower_celu(const NodeView& node) {
  const Dims dims = node.extents(0);
  const float alpha = node.real("alpha", 1);
  if (alpha == 1) return lower_function(node, ActivationKind::elu, 1);
  return measured({linear_call(dims, 1 / alpha, from_input(0)),
                   function_call(dims, ActivationKind::elu, from_call(0), 1),
                   linear_call(dims, alpha, from_call(1))});
}

Lowered lower_negate(const NodeView& node) {
  return lower_function(node, ActivationKind::linear, -1);
}

Lowered lower_reciprocal(const NodeView& node) {
  return lower_function(node, ActivationKind::pow, -1);
}

/// Bounds are attributes up to opset 10 and optional inputs from opset 11; a missing bound is the
/// limit of the float range.
/// Bounds that the model computes: a maximum and a minimum with one element.
Lowered lower_clip_by_tensors(const NodeView& node) {
  std::vector<Call> calls;
  for (const auto& [index, kind] :
       {std::pair{std::size_t{1}, BinaryKind::max}, std::pair{std::size_t{2}, BinaryKind::min}}) {
    if (!node.has_input(index)) continue;
    const Source x = calls.empty() ? from_input(0) : last_result(calls);
    calls.push_back(
        elementwise_call(kind, {node.extents(0), false, x}, operand_of(node, index, {1})));
  }
  return measured(std::move(calls));
}

Lowered lower_clip(const NodeView& node) {
  float least = std::numeric_limits<float>::lowest();
  float greatest = std::numeric_limits<float>::max();
  if (node.opset() < 11) {
    least = node.real("min", least);
    greatest = node.real("max", greatest);
  } else {
    if (!node.has_input(1) && !node.has_input(2)) return free_layer("clips nothing");
    const auto is_made = [&](std::size_t index) {
      return node.has_input(index) && !node.input(index).literal;
    };
    if (is_made(1) || is_made(2)) return lower_clip_by_tensors(node);
    least = static_cast<float>(node.scalar(1, least));
    greatest = static_cast<float>(node.scalar(2, greatest));
  }
  return lower_function(node, ActivationKind::clip, least, greatest);
}

/// Adds the bias, if any, then applies the function.
template <ActivationKind kind>
Lowered lower_biased(const NodeView& node) {
  const Dims dims = node.extents(0);
  if (!node.has_input(1)) return lower_function(node, kind);
  return measured(
      {elementwise_call(BinaryKind::add, {dims, false, from_input(0)}, operand_of(node, 1)),
       function_call(dims, kind, from_call(0))});
}

Lowered lower_quick_gelu(const NodeView& node) {
  return lower_function(node, ActivationKind::swish, node.real("alpha", 1.702F));
}

/// Compares every element with one number.
Call compared(BinaryKind kind, const Dims& dims, const Source& x) {
  return elementwise_call(kind, {dims, false, x},
                          {Dims(dims.size(), 1), true, from_attribute(Source::unstated)});
}

Dims numbers(const NodeView& node) {
  if (!is_floating(node.input(0).type))
    throw NotExpressible(type_name(node.input(0).type) + " data");
  return node.extents(0);
}

/// Only NaN differs from itself. Measured as a comparison with a number: one tensor, read once.
Lowered lower_is_nan(const NodeView& node) {
  return measured({compared(BinaryKind::ne, numbers(node), from_input(0))},
                  Types::checked_by_lowering);
}

/// Compares the magnitude with infinity or, if only one sign counts, the value itself.
Lowered lower_is_inf(const NodeView& node) {
  const Dims dims = numbers(node);
  const bool both = node.flag("detect_negative", true) && node.flag("detect_positive", true);
  std::vector<Call> calls;
  if (both) {
    calls.push_back(function_call(dims, ActivationKind::abs, from_input(0)));
  }
  calls.push_back(compared(BinaryKind::eq, dims, both ? from_call(0) : from_input(0)));
  return measured(std::move(calls), Types::checked_by_lowering);
}

/// 1 - x, for booleans, which are 1 or 0.
Lowered lower_not(const NodeView& node) {
  return measured({function_call(node.extents(0), ActivationKind::linear, from_input(0), -1, 1)},
                  Types::checked_by_lowering);
}

Operator activation(LowerFunction lower, FoldFunction fold = nullptr) {
  return {.shapes = {like_first_until_5}, .fold = fold, .lower = lower};
}

void add_unsupported_functions(OperatorTable& table) {
  table.add("BitwiseNot", {.shapes = {{like_first}},
                           .unsupported = "no library here has arithmetic of bits",
                           .copies_integers = true});
  table.add("ThresholdedRelu", {.shapes = {{like_first}},
                                .unsupported = "no library here clears what is below a threshold"});
  table.add("Shrink", {.unsupported = "no library here clears what is near zero"});
  table.add("Tan", {.unsupported = "no library here has tangents"});
  for (const auto* op : {"Asin", "Acos", "Atan"}) {
    table.add(op, {.unsupported = "no library here has inverse trigonometric functions"});
  }
  for (const auto* op : {"Sinh", "Cosh"}) {
    table.add(op, {.unsupported = "no library here has this hyperbolic function"});
  }
  for (const auto* op : {"Asinh", "Acosh", "Atanh"}) {
    table.add(op, {.unsupported = "no library here has inverse hyperbolic functions"});
  }
}

}  // namespace

void register_unary(OperatorTable& table) {
  table.add("Relu", activation(lower_plain<ActivationKind::relu>));
  table.add("Sigmoid", activation(lower_plain<ActivationKind::sigmoid>));
  table.add("Tanh", activation(lower_plain<ActivationKind::tanh>));
  table.add("LeakyRelu", activation(lower_leaky_relu));
  table.add("Elu", activation(lower_elu));
  table.add("Selu", activation(lower_selu));
  table.add("HardSigmoid", activation(lower_hard_sigmoid));
  table.add("Neg", of_integers_too(activation(lower_negate, fold_negate)));
  table.add("Reciprocal", activation(lower_reciprocal, fold_real<reciprocal_of>));
  table.add("Exp", activation(lower_plain<ActivationKind::exp>, fold_real<exp_of>));
  table.add("Log", activation(lower_plain<ActivationKind::log>, fold_real<log_of>));
  table.add("Sqrt", activation(lower_plain<ActivationKind::sqrt>, fold_real<sqrt_of>));
  table.add("Abs", of_integers_too(activation(lower_plain<ActivationKind::abs>, fold_absolute)));
  table.add("Floor", activation(lower_plain<ActivationKind::floor>, fold_real<floor_of, true>));
  table.add("Ceil", activation(lower_plain<ActivationKind::ceil>, fold_real<ceil_of, true>));
  table.add("Clip", of_integers_too(activation(lower_clip, fold_clip)));

  table.add("Celu", {.lower = lower_celu});
  table.add("HardSwish", {.lower = lower_plain<ActivationKind::hard_swish>});
  table.add("Softplus", {.lower = lower_plain<ActivationKind::softplus>});
  table.add("Softsign", {.lower = lower_plain<ActivationKind::softsign>});
  table.add("Erf", {.fold = fold_real<erf_of>, .lower = lower_plain<ActivationKind::erf>});
  table.add("Sin", {.lower = lower_plain<ActivationKind::sin>});
  table.add("Cos", {.lower = lower_plain<ActivationKind::cos>});
  table.add("Round",
            {.fold = fold_real<round_of, true>, .lower = lower_plain<ActivationKind::round>});
  table.add(
      "Sign",
      {.fold = fold_sign, .lower = lower_plain<ActivationKind::sign>, .copies_integers = true});
  table.add("Not", {.fold = fold_logical_not, .lower = lower_not, .copies_integers = true});
  table.add("IsNaN", {.shapes = {{truth_shape, 18}}, .lower = lower_is_nan});
  table.add("IsInf", {.shapes = {{truth_shape, 18}}, .lower = lower_is_inf});

  // Newer than the installed schemas, or of another domain.
  table.add("Mish", {.shapes = {{like_first}}, .lower = lower_plain<ActivationKind::mish>});
  table.add("Gelu", {.shapes = {{like_first}}, .lower = lower_gelu});
  table.add("Swish", {.shapes = {{like_first}}, .lower = lower_swish});
  table.add("SwiGLU", {.shapes = {{like_first}}, .lower = lower_swiglu});
  table.add("com.microsoft.Gelu",
            {.shapes = {{like_first}}, .lower = lower_plain<ActivationKind::gelu>});
  table.add("com.microsoft.QuickGelu", {.shapes = {{like_first}}, .lower = lower_quick_gelu});
  table.add("com.microsoft.BiasGelu",
            {.shapes = {{like_first}}, .lower = lower_biased<ActivationKind::gelu>});
  table.add("com.microsoft.FastGelu",
            {.shapes = {{like_first}}, .lower = lower_biased<ActivationKind::gelu_tanh>});
  add_unsupported_functions(table);
}

}  // namespace benanza::onnx
