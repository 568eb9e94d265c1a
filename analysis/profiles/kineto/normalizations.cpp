// Normalizations and softmax.

#include "analysis/profiles/kineto/accounting.h"
#include "analysis/profiles/kineto/aten.h"

namespace benanza::analysis::kineto {
namespace {

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

std::vector<Part> instance_norm(const Call& call) {
  return {plain("InstanceNormalization", call.dims(0))};
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
// input, axis, type of the result
template <bool logarithm>
std::vector<Part> softmax(const Call& call) {
  return converted(call, 2, softmax_of(call, logarithm));
}
// input, axis, whether a result of half the width is to be float
template <bool logarithm>
std::vector<Part> inner_softmax(const Call& call) {
  std::vector<Part> parts = softmax_of(call, logarithm);
  if (!call.truth(2)) return parts;
  for (Part& part : parts) part.precision = Precision::fp32;
  const Cast shape{.input = call.dims(0), .widens = true};
  Part cast = part("Cast", std::optional(shape), call.dims(0));
  cast.precision = precision_of_type(call.type(0));
  parts.insert(parts.begin(), std::move(cast));
  return parts;
}

/// Weights and statistics have one number for each channel; then momentum and the library's use.
constexpr std::uint32_t vectors = arguments<1, 2, 3, 4, 6, 8>;

constexpr Entry normalization_table[] = {
    {"batch_norm", batch_norm_7, vectors, Types::of_first},
    {"_batch_norm_impl_index", batch_norm_7, vectors, Types::of_first},
    {"cudnn_batch_norm", batch_norm_7, vectors, Types::of_first},
    {"native_batch_norm", batch_norm_7, vectors, Types::of_first},
    {"_native_batch_norm_legit", batch_norm_7, vectors, Types::of_first},
    {"_native_batch_norm_legit_no_training", batch_norm_6, arguments<1, 2, 3, 4, 5>,
     Types::of_first},
    {"layer_norm", layer_norm, arguments<5>, Types::of_first},
    {"native_layer_norm", layer_norm, 0, Types::of_first},
    {"group_norm", group_norm},
    {"native_group_norm", group_norm},
    {"instance_norm", instance_norm},
    {"softmax", softmax<false>},
    {"_softmax", inner_softmax<false>},
    {"log_softmax", softmax<true>},
    {"_log_softmax", inner_softmax<true>},
};

}  // namespace

std::span<const Entry> normalization_operators() { return normalization_table; }

}  // namespace benanza::analysis::kineto
