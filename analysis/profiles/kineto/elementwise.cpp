// Activations, element-wise arithmetic, reductions, and operators that only move bytes.

#include <algorithm>
#include <numeric>

#include "analysis/profiles/kineto/accounting.h"
#include "analysis/profiles/kineto/aten.h"

namespace benanza::analysis::kineto {
namespace {

std::optional<Activation> activation(const Call& call, ActivationKind kind, float alpha = 0,
                                     float beta = 0) {
  if (!call.is_tensor(0)) return std::nullopt;
  return Activation{.input = call.dims(0), .kind = kind, .alpha = alpha, .beta = beta};
}

Part refused(std::string_view op, const Call& call, std::string reason) {
  Part made = plain(op, call.dims(0));
  made.reason = std::move(reason);
  return made;
}

std::vector<Part> relu(const Call& call) {
  return {part("Relu", activation(call, ActivationKind::relu), call.dims(0))};
}

// input, bound, value of what is at most the bound
std::vector<Part> threshold(const Call& call) {
  if (call.real(1) == 0.0F && call.real(2) == 0.0F) return relu(call);
  return {refused("ThresholdedRelu", call, "a threshold")};
}

std::vector<Part> clip(const Call& call, std::optional<float> low, std::optional<float> high) {
  if (!low || !high) return {plain("Clip", call.dims(0))};
  return {part("Clip", activation(call, ActivationKind::clip, *low, *high), call.dims(0))};
}

// input, least
std::vector<Part> clamp_min(const Call& call) {
  const auto least = call.real(1);
  if (least == 0.0F) return relu(call);
  return {plain(least ? "Clip" : "Max", call.dims(0))};
}

// input, least, most
std::vector<Part> clamp(const Call& call) { return clip(call, call.real(1), call.real(2)); }
std::vector<Part> relu6(const Call& call) { return clip(call, 0.0F, 6.0F); }

std::vector<Part> leaky_relu(const Call& call) {
  const auto slope = call.real(1);
  if (!slope) return {plain("LeakyRelu", call.dims(0))};
  return {part("LeakyRelu", activation(call, ActivationKind::leaky_relu, *slope), call.dims(0))};
}

// input, alpha, factor of the result, factor of the input
std::vector<Part> elu(const Call& call) {
  const bool is_scaled = call.real(2).value_or(1) != 1 || call.real(3).value_or(1) != 1;
  if (is_scaled) return {refused("Selu", call, "factors")};
  const float alpha = call.real(1).value_or(1.0F);
  return {part("Elu", activation(call, ActivationKind::elu, alpha), call.dims(0))};
}

std::vector<Part> sigmoid(const Call& call) {
  return {part("Sigmoid", activation(call, ActivationKind::sigmoid), call.dims(0))};
}

std::vector<Part> tanh(const Call& call) {
  return {part("Tanh", activation(call, ActivationKind::tanh), call.dims(0))};
}

// The trace does not tell texts, so not whether it is the approximation by tanh.
std::vector<Part> gelu(const Call& call) {
  return one_or_steps(call, "Gelu", activation(call, ActivationKind::gelu),
                      {"Div", "Mul", "Erf", "Tanh", "Add", "Mul", "Mul"});
}
std::vector<Part> silu(const Call& call) {
  return one_or_steps(call, "Swish", activation(call, ActivationKind::swish, 1),
                      {"Sigmoid", "Mul"});
}
std::vector<Part> hardswish(const Call& call) {
  return one_or_steps(call, "HardSwish", activation(call, ActivationKind::hard_swish),
                      {"HardSigmoid", "Add", "Clip", "Div", "Mul", "Div"});
}
std::vector<Part> hardsigmoid(const Call& call) {
  return one_or_steps(call, "HardSigmoid", std::optional<Activation>(), {"Add", "Clip", "Div"});
}
std::vector<Part> mish(const Call& call) {
  return one_or_steps(call, "Mish", activation(call, ActivationKind::mish),
                      {"Softplus", "Tanh", "Mul"});
}

/// The conversion of the shorter of two operands of which the other is fp32; empty for others.
std::vector<Part> widened_operand(const Call& call) {
  if (!call.is_tensor(0) || !call.is_tensor(1)) return {};
  const auto a = precision_of_type(call.type(0));
  const auto b = precision_of_type(call.type(1));
  if (!a || !b || a == b || (a != Precision::fp32 && b != Precision::fp32)) return {};
  const std::size_t shorter = a == Precision::fp32 ? 1 : 0;
  const Cast shape{.input = call.dims(shorter), .widens = true};
  Part cast = optional_part(part("Cast", std::optional(shape), call.dims(shorter)));
  cast.done = true;
  cast.precision = shorter == 1 ? b : a;
  return {std::move(cast)};
}

/// Extends operands to equal rank, as ONNX broadcasts. A number counts as a one-element tensor.
template <BinaryKind kind>
std::vector<Part> binary(const Call& call) {
  static constexpr std::string_view names[] = {"Add", "Sub", "Mul", "Div", "Max", "Min", "PRelu"};
  const std::string_view op = names[static_cast<std::size_t>(kind)];
  Dims a = call.dims(0);
  Dims b = call.dims(1);
  if (a.empty() && b.empty()) return {plain(op, {})};
  const bool is_sum = kind == BinaryKind::add || kind == BinaryKind::sub;
  // A factor of the second operand; how to round a quotient, a text that traces lack.
  const bool has_more = is_sum ? call.real(2).value_or(1) != 1 : call.size() > 2;
  if (has_more && !call.is_tensor(2)) {
    Part refused = plain(op, element_count(a) < element_count(b) ? b : a);
    refused.reason = is_sum ? "a factor of " + number(*call.real(2)) : "a rounded quotient";
    return {std::move(refused)};
  }
  std::vector<Part> parts = widened_operand(call);
  while (a.size() < b.size()) a.insert(a.begin(), 1);
  while (b.size() < a.size()) b.insert(b.begin(), 1);
  const Dims result = element_count(a) < element_count(b) ? b : a;
  const bool is_widened = !parts.empty();
  parts.push_back(part(op, std::optional(Binary{.kind = kind, .a = a, .b = b}), result));
  if (is_widened) parts.back().precision = Precision::fp32;
  return parts;
}

// input, weight: one slope per channel
std::vector<Part> prelu(const Call& call) {
  const Dims& input = call.dims(0);
  if (input.size() < 2) return {plain("PRelu", input)};
  Dims slope(input.size(), 1);
  if (call.is_tensor(1)) slope[1] = element_count(call.dims(1));
  return {part("PRelu", std::optional(Binary{.kind = BinaryKind::prelu, .a = input, .b = slope}),
               input)};
}

// input, exponent
std::vector<Part> power(const Call& call) {
  const auto exponent = call.real(1);
  if (!exponent) return {plain("Pow", call.dims(0))};
  return {part("Pow", activation(call, ActivationKind::pow, *exponent), call.dims(0))};
}
/// The power of a fixed fraction.
template <Literal op, int over, int under>
std::vector<Part> power_of(const Call& call) {
  constexpr float exponent = static_cast<float>(over) / under;
  return {part(op.text, activation(call, ActivationKind::pow, exponent), call.dims(0))};
}
std::vector<Part> negate(const Call& call) {
  return {part("Neg", activation(call, ActivationKind::linear, -1), call.dims(0))};
}
std::vector<Part> square(const Call& call) {
  return {part("Pow", activation(call, ActivationKind::pow, 2), call.dims(0))};
}

template <ActivationKind kind>
std::vector<Part> function(const Call& call) {
  using enum ActivationKind;
  static constexpr std::string_view names[] = {"Erf", "Exp", "Log", "Sqrt", "Abs", "Sin", "Cos"};
  constexpr ActivationKind kinds[] = {erf, exp, log, ActivationKind::sqrt, abs, sin, cos};
  const auto place = std::ranges::find(kinds, kind) - std::begin(kinds);
  return {part(names[place], activation(call, kind), call.dims(0))};
}

// input, beta, and where it is the input itself
std::vector<Part> softplus(const Call& call) {
  call.real(2);
  if (call.real(1).value_or(1) != 1) return {refused("Softplus", call, "a beta")};
  return {part("Softplus", activation(call, ActivationKind::softplus), call.dims(0))};
}

// input, type; or input, axes, keep, type
template <ReductionKind kind>
std::vector<Part> reduce(const Call& call) {
  static_assert(kind == ReductionKind::mean || kind == ReductionKind::sum);
  const std::string_view op = kind == ReductionKind::mean ? "ReduceMean" : "ReduceSum";
  const Dims& input = call.dims(0);
  auto axes = call.integers(1);
  // A number alone is the type of the result, not a list of axes.
  const Argument stated = call.argument(1);
  const bool is_of_all = call.size() < 3;
  const bool is_number = !stated.value.empty() && !stated.value.starts_with('[');
  if (is_of_all || stated.value == "[]" || (stated.type == "Scalar" && is_number)) {
    axes = Dims(input.size());
    std::iota(axes->begin(), axes->end(), 0);
  }
  if (!axes || axes->empty() || input.empty()) return {plain(op, {})};
  for (std::int64_t& axis : *axes) {
    if (axis < 0) axis += static_cast<std::int64_t>(input.size());
  }
  std::sort(axes->begin(), axes->end());
  return converted(
      call, is_of_all ? 1 : 3,
      {part(op, std::optional(Reduction{.kind = kind, .input = input, .axes = *axes}))});
}

template <Literal op>
std::vector<Part> same_shape(const Call& call) {
  return {plain(op.text, call.dims(0))};
}
template <Literal op>
std::vector<Part> unknown_shape(const Call&) {
  return {plain(op.text, {})};
}

// tensors, axis
std::vector<Part> concat(const Call& call) {
  std::vector<Dims> inputs = call.list(0);
  // PyTorch leaves out empty vectors, whatever the axes of the others.
  std::erase(inputs, Dims{0});
  auto axis = call.integer(1);
  if (inputs.empty() || !axis) return {plain("Concat", {})};
  if (*axis < 0) *axis += static_cast<std::int64_t>(inputs.front().size());
  return {part("Concat", std::optional(Concat{.parts = inputs, .axis = *axis}))};
}

// weight, indices
std::vector<Part> embedding(const Call& call) {
  if (call.dims(0).size() < 2 || !call.is_tensor(1)) return {plain("Gather", {})};
  Dims result = call.dims(1);
  result.push_back(call.dims(0)[1]);
  return {plain("Gather", result)};
}

/// Work that a model may have as a layer (a materialised transpose, a cast) or not at all.
std::vector<Part> copy(const Call& call) {
  const Dims& dims = call.dims(0);
  return {optional_part(plain("Cast", dims)), optional_part(plain("Transpose", dims)),
          optional_part(plain("Slice", dims)), optional_part(plain("Expand", dims))};
}

// tensor, type
std::vector<Part> convert(const Call& call) {
  std::vector<Part> parts = copy(call);
  std::vector<Part> cast = conversion_before(call, 1);
  if (cast.empty()) return parts;
  parts.front() = optional_part(std::move(cast.front()));
  return parts;
}

constexpr Entry other_table[] = {
    {"relu", relu},
    {"threshold", threshold},
    {"relu6", relu6},
    {"clamp", clamp},
    {"clip", clamp},
    {"hardtanh", clamp},
    {"clamp_min", clamp_min},
    // Of its gradient: whether it has the result instead of the input.
    {"leaky_relu", leaky_relu, arguments<2>},
    {"prelu", prelu},
    {"_prelu_kernel", prelu},
    {"elu", elu},
    {"sigmoid", sigmoid},
    {"tanh", tanh},
    {"gelu", gelu, arguments<1>},
    {"silu", silu},
    {"mish", mish},
    {"hardswish", hardswish},
    {"hardsigmoid", hardsigmoid},
    {"softplus", softplus},
    {"add", binary<BinaryKind::add>},
    {"sub", binary<BinaryKind::sub>},
    {"rsub", binary<BinaryKind::sub>},
    {"mul", binary<BinaryKind::mul>},
    {"div", binary<BinaryKind::div>},
    {"true_divide", binary<BinaryKind::div>},
    {"maximum", binary<BinaryKind::max>},
    {"minimum", binary<BinaryKind::min>},
    {"erf", function<ActivationKind::erf>},
    {"exp", function<ActivationKind::exp>},
    {"log", function<ActivationKind::log>},
    {"sqrt", function<ActivationKind::sqrt>},
    {"rsqrt", power_of<"Sqrt", -1, 2>},
    {"pow", power},
    {"square", square},
    {"neg", negate},
    {"abs", function<ActivationKind::abs>},
    {"reciprocal", power_of<"Reciprocal", -1, 1>},
    {"sin", function<ActivationKind::sin>},
    {"cos", function<ActivationKind::cos>},
    // Whether axes of one are kept.
    {"mean", reduce<ReductionKind::mean>, arguments<2>},
    {"sum", reduce<ReductionKind::sum>, arguments<2>},
    {"amax", unknown_shape<"ReduceMax">},
    {"argmax", unknown_shape<"ArgMax">},
    {"topk", unknown_shape<"TopK">},
    {"cat", concat},
    {"concat", concat},
    {"stack", unknown_shape<"Concat">},
    {"embedding", embedding},
    {"index_select", unknown_shape<"Gather">},
    {"gather", unknown_shape<"Gather">},
    {"index", unknown_shape<"Gather">},
    {"where", same_shape<"Where">},
    {"masked_fill", same_shape<"Where">},
    {"pad", unknown_shape<"Pad">},
    {"constant_pad_nd", unknown_shape<"Pad">},
    {"upsample_nearest2d", unknown_shape<"Resize">},
    {"upsample_bilinear2d", unknown_shape<"Resize">},
    {"upsample_bicubic2d", unknown_shape<"Resize">},
    {"native_channel_shuffle", same_shape<"Transpose">},
    {"channel_shuffle", same_shape<"Transpose">},
    {"copy", copy},
    // Device and waiting; the order in memory is that of the input, or dense.
    {"_to_copy", convert, arguments<2, 3, 4, 5, 6>},
    {"to", convert, arguments<2, 3, 4, 5, 6, 7>},
    {"contiguous", copy},
    {"clone", copy},
};

}  // namespace

std::span<const Entry> other_operators() { return other_table; }

}  // namespace benanza::analysis::kineto
