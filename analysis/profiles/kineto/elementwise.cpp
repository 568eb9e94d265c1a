// Normalisation, activations, element-wise arithmetic, and operators that only move bytes.

#include <algorithm>
#include <numeric>

#include "analysis/profiles/kineto/aten.h"

namespace benanza::analysis::kineto {
namespace {

std::optional<Activation> activation(const Call& call, ActivationKind kind, float alpha = 0,
                                     float beta = 0) {
  if (!call.is_tensor(0)) return std::nullopt;
  return Activation{.input = call.dims(0), .kind = kind, .alpha = alpha, .beta = beta};
}

std::vector<Part> relu(const Call& call) {
  return {part("Relu", activation(call, ActivationKind::relu), call.dims(0))};
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

std::vector<Part> elu(const Call& call) {
  const float alpha = call.real(1).value_or(1.0F);
  return {part("Elu", activation(call, ActivationKind::elu, alpha), call.dims(0))};
}

std::vector<Part> sigmoid(const Call& call) {
  return {part("Sigmoid", activation(call, ActivationKind::sigmoid), call.dims(0))};
}

std::vector<Part> tanh(const Call& call) {
  return {part("Tanh", activation(call, ActivationKind::tanh), call.dims(0))};
}

/// One PyTorch operator, which models may have as one operator, solved by `shape`, or as the steps
/// of its definition.
template <class T>
std::vector<Part> one_or_steps(const Call& call, std::string_view whole,
                               const std::optional<T>& shape,
                               std::initializer_list<std::string_view> steps) {
  std::vector<Part> parts{part(whole, shape, call.dims(0))};
  // A problem's result may be another view of it.
  parts.front().output = call.dims(0);
  for (const std::string_view step : steps) {
    parts.push_back(optional_part(plain(step, call.dims(0)), StepOperand::same));
  }
  return parts;
}

// The trace does not tell whether it is the approximation by tanh.
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

std::vector<Part> batch_norm(const Call& call, std::size_t epsilon, bool is_training) {
  const auto value = call.real(epsilon);
  if (!value || !call.is_tensor(0)) return {plain("BatchNormalization", call.dims(0))};
  if (is_training) {
    Part made =
        part("BatchNormalization", std::optional(BatchNormalizationTraining{call.dims(0), *value}));
    // Beside the statistics.
    made.output = call.dims(0);
    return {std::move(made)};
  }
  return {part("BatchNormalization",
               std::optional(BatchNormalization{.input = call.dims(0), .epsilon = *value}),
               call.dims(0))};
}

// input, weight, bias, mean, variance, training, momentum, epsilon
std::vector<Part> batch_norm_7(const Call& call) { return batch_norm(call, 7, call.truth(5)); }
// input, weight, bias, mean, variance, momentum, epsilon
std::vector<Part> batch_norm_6(const Call& call) { return batch_norm(call, 6, false); }

// input, extents of a row, weight, bias, epsilon
std::vector<Part> layer_norm(const Call& call) {
  std::optional<LayerNormalization> shape;
  const auto row = call.integers(1);
  const auto epsilon = call.real(4);
  if (row && !row->empty() && epsilon && call.is_tensor(0)) {
    const std::int64_t length = element_count(*row);
    shape = {.rows = element_count(call.dims(0)) / length,
             .length = length,
             .epsilon = *epsilon,
             .scale = call.is_tensor(2),
             .bias = call.is_tensor(3)};
  }
  std::vector<Part> parts = one_or_steps(call, "LayerNormalization", shape, {});
  for (const std::string_view step :
       {"ReduceMean", "Sub", "Pow", "ReduceMean", "Add", "Sqrt", "Div", "Mul", "Add"}) {
    Dims result = call.dims(0);
    const bool is_mean = step == "ReduceMean" || step == "Sqrt";
    const bool is_epsilon = step == "Add" && parts.size() == 5;
    if ((is_mean || is_epsilon) && !result.empty()) result.back() = 1;
    parts.push_back(optional_part(plain(step, result), StepOperand::row));
  }
  return parts;
}

std::vector<Part> group_norm(const Call& call) {
  std::vector<Part> parts = one_or_steps(call, "GroupNormalization", std::optional<Activation>(),
                                         {"InstanceNormalization", "Mul", "Add"});
  for (Part& part : parts) {
    if (part.optional) part.operand = StepOperand::row;
  }
  return parts;
}

std::vector<Part> softmax_of(const Call& call, bool logarithm) {
  const Dims& input = call.dims(0);
  const std::string_view op = logarithm ? "LogSoftmax" : "Softmax";
  auto axis = call.integer(1);
  if (!axis || input.empty()) return {plain(op, input)};
  if (*axis < 0) *axis += static_cast<std::int64_t>(input.size());
  return {part(op, std::optional(Softmax{.input = input, .axis = *axis, .logarithm = logarithm}),
               input)};
}
std::vector<Part> softmax(const Call& call) { return softmax_of(call, false); }
std::vector<Part> log_softmax(const Call& call) { return softmax_of(call, true); }

/// Extends operands to equal rank, as ONNX broadcasts. A number counts as a one-element tensor.
template <BinaryKind kind>
std::vector<Part> binary(const Call& call) {
  static constexpr std::string_view names[] = {"Add", "Sub", "Mul", "Div", "Max", "Min", "PRelu"};
  const std::string_view op = names[static_cast<std::size_t>(kind)];
  Dims a = call.dims(0);
  Dims b = call.dims(1);
  if (a.empty() && b.empty()) return {plain(op, {})};
  while (a.size() < b.size()) a.insert(a.begin(), 1);
  while (b.size() < a.size()) b.insert(b.begin(), 1);
  const Dims result = element_count(a) < element_count(b) ? b : a;
  return {part(op, std::optional(Binary{.kind = kind, .a = a, .b = b}), result)};
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
std::vector<Part> square(const Call& call) {
  return {part("Pow", activation(call, ActivationKind::pow, 2), call.dims(0))};
}

template <ActivationKind kind>
std::vector<Part> function(const Call& call) {
  static constexpr std::string_view names[] = {"Erf", "Softplus", "Exp", "Log", "Sqrt", "Abs"};
  constexpr ActivationKind kinds[] = {ActivationKind::erf,  ActivationKind::softplus,
                                      ActivationKind::exp,  ActivationKind::log,
                                      ActivationKind::sqrt, ActivationKind::abs};
  const auto place = std::ranges::find(kinds, kind) - std::begin(kinds);
  return {part(names[place], activation(call, kind), call.dims(0))};
}

// input, axes, keep
template <ReductionKind kind>
std::vector<Part> reduce(const Call& call) {
  static_assert(kind == ReductionKind::mean || kind == ReductionKind::sum);
  const std::string_view op = kind == ReductionKind::mean ? "ReduceMean" : "ReduceSum";
  const Dims& input = call.dims(0);
  auto axes = call.integers(1);
  // A number alone is the type of the result, not a list of axes.
  const Argument stated = call.argument(1);
  if (stated.type == "Scalar" && !stated.value.empty() && !stated.value.starts_with('[')) {
    axes = Dims(input.size());
    std::iota(axes->begin(), axes->end(), 0);
  }
  if (!axes || axes->empty() || input.empty()) return {plain(op, {})};
  for (std::int64_t& axis : *axes) {
    if (axis < 0) axis += static_cast<std::int64_t>(input.size());
  }
  std::sort(axes->begin(), axes->end());
  return {part(op, std::optional(Reduction{.kind = kind, .input = input, .axes = *axes}))};
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

/// True if it is fp32, false if it is a shorter type; empty for other types. The number is
/// PyTorch's (c10/core/ScalarType.h).
std::optional<bool> is_wide(std::optional<std::int64_t> type) {
  constexpr std::int64_t half = 5;
  constexpr std::int64_t single = 6;
  constexpr std::int64_t bfloat16 = 15;
  if (type == single) return true;
  return type == half || type == bfloat16 ? std::optional(false) : std::nullopt;
}
std::optional<bool> is_wide(std::string_view type) {
  if (type == "float") return true;
  const bool is_short = type == "c10::Half" || type == "c10::BFloat16";
  return is_short ? std::optional(false) : std::nullopt;
}

// tensor, type
std::vector<Part> convert(const Call& call) {
  std::vector<Part> parts = copy(call);
  const std::optional<bool> from = is_wide(call.type(0));
  const std::optional<bool> to = is_wide(call.integer(1));
  if (!from || !to || *from == *to) return parts;
  const Cast shape{.input = call.dims(0), .widens = *to};
  parts.front() = optional_part(part("Cast", std::optional(shape), call.dims(0)));
  return parts;
}

constexpr Entry other_table[] = {
    {"batch_norm", batch_norm_7},
    {"_batch_norm_impl_index", batch_norm_7},
    {"cudnn_batch_norm", batch_norm_7},
    {"native_batch_norm", batch_norm_7},
    {"_native_batch_norm_legit", batch_norm_7},
    {"_native_batch_norm_legit_no_training", batch_norm_6},
    {"layer_norm", layer_norm},
    {"native_layer_norm", layer_norm},
    {"group_norm", group_norm},
    {"native_group_norm", group_norm},
    {"instance_norm", same_shape<"InstanceNormalization">},
    {"relu", relu},
    {"threshold", relu},
    {"relu6", relu6},
    {"clamp", clamp},
    {"clip", clamp},
    {"hardtanh", clamp},
    {"clamp_min", clamp_min},
    {"leaky_relu", leaky_relu},
    {"prelu", prelu},
    {"_prelu_kernel", prelu},
    {"elu", elu},
    {"sigmoid", sigmoid},
    {"tanh", tanh},
    {"gelu", gelu},
    {"silu", silu},
    {"mish", mish},
    {"hardswish", hardswish},
    {"hardsigmoid", hardsigmoid},
    {"softplus", function<ActivationKind::softplus>},
    {"softmax", softmax},
    {"_softmax", softmax},
    {"log_softmax", log_softmax},
    {"_log_softmax", log_softmax},
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
    {"rsqrt", same_shape<"Sqrt">},
    {"pow", power},
    {"square", square},
    {"neg", same_shape<"Neg">},
    {"abs", function<ActivationKind::abs>},
    {"reciprocal", same_shape<"Reciprocal">},
    {"mean", reduce<ReductionKind::mean>},
    {"sum", reduce<ReductionKind::sum>},
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
    {"_to_copy", convert},
    {"to", convert},
    {"contiguous", copy},
    {"clone", copy},
};

}  // namespace

std::span<const Entry> other_operators() { return other_table; }

}  // namespace benanza::analysis::kineto
