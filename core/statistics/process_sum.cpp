#include "core/statistics/process_sum.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace benanza {
namespace {

/// Variance of the trimmed mean of so few normal values, with variance 1. Of three it is the
/// median, of four the mean of the two in the middle; there are too few for winsorized deviations.
double variance_of_few(std::size_t count) {
  constexpr double of_three = 0.448671;  // 1 - sqrt(3) / pi
  constexpr double of_four = 0.298245;
  if (count == 3) return of_three;
  if (count == 4) return of_four;
  return 1 / static_cast<double>(count);
}
constexpr std::size_t many = 5;

/// How many values the trimmed mean leaves out in all, as far as the deviations reflect it.
double left_out(std::size_t count) {
  return count < many ? 0.0 : static_cast<double>(2 * trimmed_count(count));
}

/// Deviations by process, scaled so that the sum of their squares is the variance of the trimmed
/// mean.
std::vector<ProcessValue> deviations(const std::vector<ProcessValue>& values) {
  std::vector<double> plain;
  for (const ProcessValue& one : values) plain.push_back(one.value);
  const std::size_t count = plain.size();
  double scale = std::sqrt(variance_of_few(count) / (static_cast<double>(count) - 1));
  if (count >= many) {
    plain = winsorized(plain);
    const double kept = static_cast<double>(count) - left_out(count);
    scale = 1 / std::sqrt(kept * (kept - 1));
  }
  const double centre = mean(plain);
  std::vector<ProcessValue> found = values;
  for (std::size_t i = 0; i < count; ++i) found[i].value = (plain[i] - centre) * scale;
  return found;
}

double length(const std::vector<ProcessValue>& values) {
  double squares = 0;
  for (const ProcessValue& one : values) squares += one.value * one.value;
  return std::sqrt(squares);
}

}  // namespace

std::vector<ProcessValue> by_process(std::span<const double> values,
                                     std::span<const std::int64_t> processes) {
  if (processes.empty()) {
    return values.empty() ? std::vector<ProcessValue>{}
                          : std::vector<ProcessValue>{{.value = trimmed_mean(values)}};
  }
  std::map<std::int64_t, std::vector<double>> groups;
  for (std::size_t i = 0; i < values.size(); ++i) groups[processes[i]].push_back(values[i]);
  std::vector<ProcessValue> found;
  for (const auto& [process, group] : groups) found.push_back({process, trimmed_mean(group)});
  return found;
}

double value_over_processes(std::span<const double> values,
                            std::span<const std::int64_t> processes) {
  if (processes.empty()) return trimmed_mean(values);
  std::vector<double> means;
  for (const ProcessValue& one : by_process(values, processes)) means.push_back(one.value);
  return trimmed_mean(means.size() < 3 ? values : std::span<const double>(means));
}

void ProcessSum::add(double value, std::vector<ProcessValue> values) {
  value_ += value;
  calls_.push_back({value, std::move(values)});
}

template <class Number>
double ProcessSum::mean_over_calls(const Number& number) const {
  double sum = 0;
  double weights = 0;
  for (const Call& call : calls_) {
    if (call.values.size() < 2) continue;
    sum += call.value * number(call.values.size());
    weights += call.value;
  }
  return weights == 0 ? 0 : sum / weights;
}

std::size_t ProcessSum::processes() const {
  double sum = 0;
  for (const Call& call : calls_) sum += call.value * static_cast<double>(call.values.size());
  if (value_ == 0) return calls_.empty() ? 0 : 1;
  return static_cast<std::size_t>(std::lround(sum / value_));
}

std::optional<Uncertain> ProcessSum::estimate() const {
  std::map<std::int64_t, double> sums;
  std::vector<double> usual;
  double together = 0;
  double alone = 0;
  double known = 0;
  for (const Call& call : calls_) {
    if (call.values.size() < 2) {
      alone += call.value;
      continue;
    }
    known += call.value;
    const std::vector<ProcessValue> of_call = deviations(call.values);
    for (const ProcessValue& one : of_call) sums[one.process] += one.value;
    const double error = length(of_call);
    together += error;
    usual.push_back(error * std::sqrt(static_cast<double>(call.values.size())) / call.value);
  }
  if (usual.empty() || 2 * known < value_) return std::nullopt;
  double squares = 0;
  for (const auto& [process, sum] : sums) squares += sum * sum;
  // Rounding makes it larger than 1 where all deviations are rounding, too.
  const double rho = together == 0 ? 1 : std::min(1.0, squares / (together * together));
  const double relative = median(usual);
  const double counted = mean_over_calls([](std::size_t count) { return double(count); });
  return Uncertain{.value = value_,
                   .standard_error = std::hypot(std::sqrt(squares), alone * relative),
                   .degrees = std::max(1.0, counted - 1 - rho * mean_over_calls(&left_out))};
}

}  // namespace benanza
