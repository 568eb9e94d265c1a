#include "suites/plan/constants.h"

#include <cmath>
#include <limits>
#include <utility>

#include "core/base/error.h"

namespace benanza::plan {
namespace {

/// Filters, columns or channels of what folds change; 0 if there is no such thing.
std::size_t channels_of(const Problem& problem) {
  if (const auto* one = std::get_if<BatchNormalization>(&problem.shape)) {
    return static_cast<std::size_t>(one->input.at(1));
  }
  return std::visit(
      [](const auto& shape) -> std::size_t {
        if constexpr (requires { shape.bias_length(); }) {
          return static_cast<std::size_t>(shape.bias_length());
        } else {
          return 0;
        }
      },
      problem.shape);
}

/// The filter or column that element `flat` of the weights belongs to.
std::size_t channel_of(const Problem& problem, const Dims& weights, std::size_t flat) {
  if (const auto* gemm = std::get_if<Gemm>(&problem.shape)) {
    const auto n = static_cast<std::size_t>(gemm->n);
    const auto k = static_cast<std::size_t>(gemm->k);
    return gemm->transpose_b ? flat / k % n : flat % n;
  }
  std::size_t taps = 1;
  for (std::size_t axis = 2; axis < weights.size(); ++axis) {
    taps *= static_cast<std::size_t>(weights[axis]);
  }
  const auto inner = static_cast<std::size_t>(weights[1]);
  if (const auto* deconvolution = std::get_if<Deconvolution>(&problem.shape)) {
    const auto in_group = static_cast<std::size_t>(weights[0] / deconvolution->groups);
    const std::size_t group = flat / (inner * taps) / in_group;
    return group * inner + flat / taps % inner;
  }
  return flat / (inner * taps);
}

/// Added to scores: 0 for keys that a query sees, minus infinity for the others.
std::vector<float> causal(const Dims& dims, std::int64_t window) {
  const std::int64_t queries = dims.end()[-2];
  const std::int64_t keys = dims.end()[-1];
  std::vector<float> values(static_cast<std::size_t>(element_count(dims)));
  for (std::size_t flat = 0; flat < values.size(); ++flat) {
    const auto key = static_cast<std::int64_t>(flat) % keys;
    const auto query = static_cast<std::int64_t>(flat) / keys % queries;
    // The last query sees the last key.
    const std::int64_t last = query + keys - queries;
    const bool seen = key <= last && (window == 0 || key > last - window);
    values[flat] = seen ? 0.0F : -std::numeric_limits<float>::infinity();
  }
  return values;
}

/// Without the first so many.
std::span<const float> behind(std::span<const float> values, std::int64_t first) {
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(0, first));
  return values.subspan(std::min(count, values.size()));
}

std::vector<float> floats(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

}  // namespace

std::vector<float> repeated_rows(std::span<const float> values, const std::vector<float>& numbers,
                                 std::size_t length) {
  if (numbers.empty() || length == 0) return {values.begin(), values.end()};
  std::vector<float> repeated;
  repeated.reserve(values.size() * numbers.size());
  for (std::size_t row = 0; row + length <= values.size(); row += length) {
    for (const float number : numbers) {
      for (std::size_t place = 0; place < length; ++place) {
        repeated.push_back(number * values[row + place]);
      }
    }
  }
  return repeated;
}

Constants::Constants(const FlowCall& call, const Problem& problem, ConstantOf constant)
    : call_(call),
      problem_(problem),
      constant_(std::move(constant)),
      operands_(inputs(problem)),
      factor_(channels_of(problem), 1),
      term_(channels_of(problem), 0) {
  if (!call.folds.empty() && factor_.empty()) {
    throw Error(call.problem + ": has no weights to fold constants into");
  }
  for (const Fold& one : call.folds) fold(one);
}

std::vector<double> Constants::channels(std::size_t tensor, double scale, std::size_t count) const {
  const std::span<const float> values = constant_(tensor);
  if (values.size() != 1 && values.size() != count) {
    throw Error(call_.problem + ": a constant of " + std::to_string(values.size()) +
                " elements for " + std::to_string(count) + " channels");
  }
  std::vector<double> result(count);
  for (std::size_t channel = 0; channel < count; ++channel) {
    result[channel] = scale * static_cast<double>(values[values.size() == 1 ? 0 : channel]);
  }
  return result;
}

void Constants::fold(const Fold& one) {
  const std::size_t count = factor_.size();
  std::vector<double> times(count, one.alpha);
  std::vector<double> plus(count, one.beta);
  switch (one.kind) {
    case Fold::Kind::linear:
      break;
    case Fold::Kind::batch_normalization: {
      const Statistics& all = one.statistics.value();
      const auto scale = channels(all.scale, 1, count);
      const auto shift = channels(all.shift, 1, count);
      const auto mean = channels(all.mean, 1, count);
      const auto variance = channels(all.variance, 1, count);
      for (std::size_t channel = 0; channel < count; ++channel) {
        times[channel] = scale[channel] / std::sqrt(variance[channel] + all.epsilon);
        plus[channel] = shift[channel] - mean[channel] * times[channel];
      }
      break;
    }
    default: {
      const std::vector<double> t = channels(one.tensor, one.scale, count);
      for (std::size_t channel = 0; channel < count; ++channel) {
        const double value = t[channel];
        times[channel] = one.kind == Fold::Kind::mul    ? value
                         : one.kind == Fold::Kind::div  ? 1 / value
                         : one.kind == Fold::Kind::rsub ? -1
                                                        : 1;
        plus[channel] = one.kind == Fold::Kind::sub                                   ? -value
                        : one.kind == Fold::Kind::add || one.kind == Fold::Kind::rsub ? value
                                                                                      : 0;
      }
    }
  }
  for (std::size_t channel = 0; channel < count; ++channel) {
    factor_[channel] *= times[channel];
    term_[channel] = term_[channel] * times[channel] + plus[channel];
  }
}

std::vector<float> Constants::values(std::size_t index) const {
  const FlowOperand& operand = call_.operands.at(index);
  const Dims& dims = operands_.at(index).dims;
  const auto size = static_cast<std::size_t>(element_count(dims));
  switch (operand.kind) {
    case FlowOperand::Kind::causal:
      return causal(dims, operand.window);
    case FlowOperand::Kind::zeros:
      return std::vector<float>(size);
    case FlowOperand::Kind::bias:
      return floats(term_);
    case FlowOperand::Kind::factor:
    case FlowOperand::Kind::shift:
      return floats(of_statistics(operand, size));
    case FlowOperand::Kind::tensor:
    case FlowOperand::Kind::numbers: {
      std::vector<float> values = stored_values(index);
      for (float& value : values) value *= static_cast<float>(operand.scale);
      fold(index, values);
      return values;
    }
    default:
      throw Error(call_.problem + ": operand " + std::to_string(index) + " has no values");
  }
}

std::optional<std::span<const float>> Constants::unchanged(std::size_t index) const {
  const FlowOperand& operand = call_.operands.at(index);
  const bool changes = operand.kind != FlowOperand::Kind::tensor || operand.scale != 1 ||
                       !operand.numbers.empty() || !call_.folds.empty() ||
                       std::holds_alternative<Copy>(problem_.shape);
  if (changes) return {};
  const std::span<const float> all = behind(constant_(operand.index), operand.first);
  const auto size = static_cast<std::size_t>(element_count(operands_.at(index).dims));
  if (all.size() < size || all.size() == 1) return {};
  return all.first(size);
}

std::vector<double> Constants::of_statistics(const FlowOperand& operand, std::size_t size) const {
  const Statistics& all = operand.statistics.value();
  const auto scale = channels(all.scale, 1, size);
  const auto variance = channels(all.variance, 1, size);
  const auto shift = channels(all.shift, 1, size);
  const auto mean = channels(all.mean, 1, size);
  std::vector<double> result(size);
  for (std::size_t i = 0; i < size; ++i) {
    const double factor = scale[i] / std::sqrt(variance[i] + all.epsilon);
    result[i] = operand.kind == FlowOperand::Kind::factor ? factor : shift[i] - mean[i] * factor;
  }
  return result;
}

std::vector<float> Constants::stored_values(std::size_t index) const {
  const FlowOperand& operand = call_.operands.at(index);
  const Dims& dims = operands_.at(index).dims;
  const auto size = static_cast<std::size_t>(element_count(dims));
  std::vector<float> values =
      operand.kind == FlowOperand::Kind::numbers
          ? operand.numbers
          : repeated_rows(behind(constant_(operand.index), operand.first), operand.numbers,
                          operand.numbers.empty()
                              ? 0
                              : static_cast<std::size_t>(dims.back()) / operand.numbers.size());
  if (std::holds_alternative<Copy>(problem_.shape) && call_.from_offset > 0) {
    const auto from = static_cast<std::size_t>(call_.from_offset);
    values.erase(values.begin(),
                 values.begin() + static_cast<std::ptrdiff_t>(std::min(from, values.size())));
  }
  if (values.size() == 1) values.assign(size, values.front());
  // Data that are stored once for every image of the batch.
  const std::size_t stored = values.size();
  const bool repeats = operands_[index].role == Role::data;
  if (repeats && stored != 0 && stored < size && size % stored == 0) {
    values.resize(size);
    for (std::size_t i = stored; i < size; ++i) values[i] = values[i - stored];
  }
  if (values.size() < size) {
    throw Error(call_.problem + ": a constant of " + std::to_string(values.size()) +
                " elements for " + std::to_string(size));
  }
  values.resize(size);
  return values;
}

void Constants::fold(std::size_t index, std::vector<float>& values) const {
  if (call_.folds.empty() || operands_[index].role != Role::weights) return;
  const bool is_batch = std::holds_alternative<BatchNormalization>(problem_.shape);
  if (is_batch && (index == 1 || index == 2)) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double folded = factor_[i] * static_cast<double>(values[i]);
      values[i] = static_cast<float>(index == 2 ? folded + term_[i] : folded);
    }
  } else if (!is_batch && index == 1) {
    const Dims& dims = operands_[index].dims;
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(factor_[channel_of(problem_, dims, i)] *
                                     static_cast<double>(values[i]));
    }
  }
}

}  // namespace benanza::plan
