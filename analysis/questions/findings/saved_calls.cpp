#include "analysis/questions/findings/saved_calls.h"

#include <cmath>

#include "analysis/model/spread.h"

namespace benanza::analysis {

void SavedCalls::Side::add(const Measurement& call) {
  const double one = call.seconds();
  seconds += one;
  deviation_seconds += (run_spread.quiet + run_deviation(call)) * one;
  over_processes.add(one, call.process_seconds());
  within_one.add(call.repetition_seconds);
}

std::optional<Uncertain> SavedCalls::Side::estimate() const {
  // No call at all takes no time, surely.
  if (seconds == 0) return Uncertain{.degrees = 1e6};
  const std::optional<Uncertain> estimate = over_processes.estimate();
  return estimate ? estimate : within_one.estimate();
}

void SavedCalls::add_before(const Measurement& call) { before_.add(call); }
void SavedCalls::add_after(const Measurement& call) { after_.add(call); }

void SavedCalls::add_before(const LayerTime& time) {
  for (const Measurement* const call : time.calls) before_.add(*call);
}

void SavedCalls::add_after(const LayerTime& time) {
  for (const Measurement* const call : time.calls) after_.add(*call);
  after_.luck_seconds += time.luck_seconds;
}

std::optional<Interval> SavedCalls::interval() const {
  const auto before = before_.estimate();
  const auto after = after_.estimate();
  if (!before || !after) return std::nullopt;
  const Interval interval = difference(*before, *after).interval();
  const double gain = gain_seconds();
  const double all = before_.seconds + after_.seconds;
  const double common =
      all > 0 ? (before_.deviation_seconds + after_.deviation_seconds) / all : run_spread.quiet;
  constexpr double quantile = 1.96;
  const double scaled = quantile * common * gain;
  return Interval{gain - std::hypot(gain - interval.low, scaled) - after_.luck_seconds,
                  gain + std::hypot(interval.high - gain, scaled)};
}

std::optional<Interval> difference_interval(double before, const std::optional<Interval>& of_before,
                                            double after, const std::optional<Interval>& of_after) {
  if (!of_before || !of_after) return std::nullopt;
  const double gain = before - after;
  return Interval{gain - std::hypot(before - of_before->low, of_after->high - after),
                  gain + std::hypot(of_before->high - before, after - of_after->low)};
}

}  // namespace benanza::analysis
