#include "core/statistics/process_sum.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace benanza {
namespace {

/// Deviations by process, scaled so that the sum of their squares is the variance of the mean.
std::vector<ProcessValue> deviations(const std::vector<ProcessValue>& values) {
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  for (const ProcessValue& one : values) sum += one.value;
  const double scale = 1 / std::sqrt(count * (count - 1));
  std::vector<ProcessValue> found = values;
  for (ProcessValue& one : found) one.value = (one.value - sum / count) * scale;
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

std::vector<ProcessValue> without_stalled(std::vector<ProcessValue> values) {
  if (values.size() < 3) return values;
  std::vector<double> plain;
  for (const ProcessValue& one : values) plain.push_back(one.value);
  const double limit = stalled_factor * median(plain);
  const auto is_stalled = [&](const ProcessValue& one) { return one.value > limit; };
  // More than one in three: a state that the next run may be in.
  if (std::ranges::count_if(values, is_stalled) * 3 > std::ssize(values)) return values;
  std::erase_if(values, is_stalled);
  return values;
}

double mean_over_processes(const std::vector<ProcessValue>& values) {
  std::vector<double> kept;
  for (const ProcessValue& one : without_stalled(values)) kept.push_back(one.value);
  return mean(kept);
}

double value_over_processes(std::span<const double> values,
                            std::span<const std::int64_t> processes) {
  if (processes.empty()) return trimmed_mean(values);
  const std::vector<ProcessValue> of_processes = by_process(values, processes);
  return of_processes.size() < 3 ? trimmed_mean(values) : mean_over_processes(of_processes);
}

void ProcessSum::add(double value, std::vector<ProcessValue> values) {
  value_ += value;
  calls_.push_back({value, without_stalled(std::move(values))});
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
  double alone = 0;
  double known = 0;
  for (const Call& call : calls_) {
    const auto count = static_cast<double>(call.values.size());
    if (count < 2) {
      alone += call.value;
      continue;
    }
    known += call.value;
    const std::vector<ProcessValue> of_call = deviations(call.values);
    for (const ProcessValue& one : of_call) sums[one.process] += one.value;
    usual.push_back(length(of_call) * std::sqrt(count) / call.value);
  }
  if (usual.empty() || 2 * known < value_) return std::nullopt;
  double squares = 0;
  for (const auto& [process, sum] : sums) squares += sum * sum;
  const double counted = mean_over_calls([](std::size_t count) { return double(count); });
  return Uncertain{.value = value_,
                   .standard_error = std::hypot(std::sqrt(squares), alone * median(usual)),
                   .degrees = std::max(1.0, counted - 1)};
}

}  // namespace benanza
