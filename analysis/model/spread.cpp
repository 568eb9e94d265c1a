#include "analysis/model/spread.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/statistics/summary.h"

namespace benanza::analysis {
namespace {

std::optional<Interval> interval_of(const std::optional<Uncertain>& estimate) {
  return estimate ? std::optional(time_interval(*estimate)) : std::nullopt;
}

/// The estimate on a logarithmic scale; for small errors.
Uncertain logarithm(const Uncertain& time) {
  return {.value = std::log(time.value),
          .standard_error = time.standard_error / time.value,
          .degrees = time.degrees};
}

/// How far ratios are from the median of all, or, where they fall into two groups of which each
/// holds at least a quarter, from that of their group: a part of the calls has changed by itself.
std::vector<double> distances_from_common(std::span<const double> log_ratios) {
  std::vector<double> ratios;
  for (const double ratio : log_ratios) ratios.push_back(std::exp(ratio));
  const auto groups = two_groups(ratios);
  const std::size_t least = ratios.size() / 4;
  std::vector<double> distances;
  const auto add = [&](const std::vector<double>& group) {
    const double common = median(group);
    for (const double ratio : group) distances.push_back(std::abs(std::log(ratio / common)));
  };
  if (groups && std::min(groups->low.size(), groups->high.size()) >= least) {
    add(groups->low);
    add(groups->high);
  } else {
    add(ratios);
  }
  return distances;
}

}  // namespace

double run_deviation(const Measurement& call) {
  return run_spread.with_company * call.company() +
         (call.virtual_machine ? run_spread.of_virtual_machine : 0);
}

Uncertain with_deviation(const Uncertain& estimate, double deviation) {
  if (deviation == 0) return estimate;
  // Welch's degrees of freedom; the deviation is taken as known.
  constexpr double known = 1e6;
  if (estimate.standard_error == 0) return {estimate.value, deviation, known};
  const double both = std::hypot(estimate.standard_error, deviation);
  const double factor = std::pow(both / estimate.standard_error, 4);
  return {.value = estimate.value,
          .standard_error = both,
          .degrees = std::min(known, estimate.degrees * factor)};
}

Interval time_interval(const Uncertain& time) {
  const Interval logarithms = logarithm(time).interval();
  if (logarithms.low == logarithms.high) return {time.value, time.value};
  return {std::exp(logarithms.low), std::exp(logarithms.high)};
}

ProcessSpread process_spread(std::span<const Measurement* const> calls,
                             std::span<const double> log_ratios) {
  double squares = 0;
  double degrees = 0;
  std::size_t known = 0;
  for (const Measurement* const call : calls) {
    ProcessSum sum;
    std::vector<ProcessValue> values = call->process_seconds();
    const auto processes = static_cast<double>(values.size());
    sum.add(call->seconds(), std::move(values));
    const auto estimate = sum.estimate();
    if (!estimate) continue;
    const double error = logarithm(*estimate).standard_error;
    squares += error * error * processes * estimate->degrees;
    degrees += estimate->degrees;
    ++known;
  }
  // As many degrees of freedom as a t distribution that allows for calls which vary more than
  // others.
  const double of_pooled = unknown_process_spread.degrees;
  if (known >= least_moderated) return {std::sqrt(squares / degrees), of_pooled};
  if (log_ratios.size() < least_moderated) return unknown_process_spread;
  std::vector<double> distances = distances_from_common(log_ratios);
  // A few calls vary far more than the others, and a few may have changed.
  constexpr double median_of_normal = 0.674490;
  constexpr double ninth_tenth_of_normal = 1.644854;
  std::ranges::sort(distances);
  const double ninth_tenth = distances[distances.size() * 9 / 10];
  const double of_both =
      std::max(median(distances) / median_of_normal, ninth_tenth / ninth_tenth_of_normal);
  return {of_both / std::sqrt(2.0), of_pooled};
}

std::optional<Uncertain> log_time_of(const Measurement& call, const ProcessSpread& usual) {
  ProcessSum over_processes;
  over_processes.add(call.seconds(), call.process_seconds());
  if (const auto estimate = over_processes.estimate()) {
    return with_deviation(logarithm(*estimate), run_deviation(call));
  }
  std::optional<Uncertain> within = log_time(call.repetition_seconds);
  if (!within) return within;
  const Uncertain between{.standard_error = usual.deviation, .degrees = usual.degrees};
  const Uncertain both = difference(*within, between);
  return Uncertain{
      .value = within->value, .standard_error = both.standard_error, .degrees = both.degrees};
}

void CallSum::add(const Measurement& call) {
  const double seconds = call.seconds();
  seconds_ += seconds;
  deviation_seconds_ += run_deviation(call) * seconds;
  over_processes_.add(seconds, call.process_seconds());
  within_one_.add(call.repetition_seconds);
}

Spread CallSum::spread() const {
  if (const auto estimate = over_processes_.estimate()) {
    const double deviation = run_spread.quiet * seconds_ + deviation_seconds_;
    return {time_interval(with_deviation(*estimate, deviation)), over_processes_.processes()};
  }
  return {interval_of(within_one_.estimate()), 1};
}

}  // namespace benanza::analysis
