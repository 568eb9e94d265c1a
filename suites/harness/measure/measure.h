#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "suites/harness/backend.h"
#include "suites/harness/outcome.h"

namespace benanza::harness {

struct MeasureOptions {
  /// Timed seconds after which sampling stops even if the median has not converged.
  double budget_seconds = 0.3;
  /// Timed seconds before which sampling does not stop; limited to the budget.
  double minimum_seconds = 0;
  /// Seconds spent on this variant before measure() was called.
  double preparation_seconds = 0;
  /// The timed regions last at least this many times as long as preparation and warm-up (within the
  /// budget). Extra precision is cheap then, and most of a suite's wall time is timed.
  double payback = 10;
  /// At most a fifth of the budget, and what the stopwatch says.
  double warmup_seconds = 0.002;
  /// Shortest hot sample: calls are batched until one sample lasts this long, so that the clock's
  /// resolution and the cost of reading it are negligible; longer if a sample costs the stopwatch
  /// much. At most a twentieth of the budget, if that is not too short for the stopwatch.
  double sample_seconds = 1e-3;
  std::size_t minimum_samples = 7;
  /// Half-width of the median's 95% confidence interval, relative to the median, at which sampling
  /// stops.
  double precision = 0.01;
  /// Seconds, for anything, after which no other variant of the same problem and precision is
  /// started.
  std::optional<double> problem_seconds = {};
  /// Median of the fastest known variant of the same problem and precision.
  std::optional<double> rival_seconds = {};
  /// A variant is outclassed if even its fastest sample takes this many times as long as the
  /// rival's median.
  double outclassed_by = 1.5;
  /// The same, for giving up a variant after only three samples, whatever its preparation cost.
  double hopeless_by = 2.5;
  /// Every sample is one call with flushed caches.
  bool cold = false;
  /// The device idles this long before every sample, so that power and heat do not hold its clock
  /// down; counts neither as timed nor against the budget, and nothing is paid back.
  double rest_seconds = 0;
};

/// Runs the primitive until it is warm and returns the number of calls per sample. Changing the
/// batch size is expensive (a graph must be captured again), so a size is kept once its samples are
/// long enough, and predicted from a batch of a quarter of a sample.
std::int64_t warm_up(Primitive& primitive, Stopwatch& stopwatch, const MeasureOptions& options);

/// The timing loop. Warms up (at least two calls, one if it exceeds the budget), then takes samples
/// until
///   converged  minimum_samples, minimum_seconds and the payback are reached and the confidence
///              interval of the median is within `precision`,
///   outclassed the same minimums are reached and a rival is outclassed_by times as fast, or three
///              samples are taken and it is hopeless_by times as fast, or
///   budget     budget_seconds are spent and three samples taken; after ten budgets of wall time,
///              cache flushes included but not rests, sampling stops even before the third sample.
/// A sample during which the stopwatch was interrupted does not count, unless three budgets pass
/// before there are three others: then all count, and the outcome is disturbed.
/// The outcome's status is ok. `observer`, if not null, watches from the end of the warm-up to the
/// last sample. Throws whatever the primitive throws, and std::runtime_error if the clock did not
/// advance.
Outcome measure(Primitive& primitive, Stopwatch& stopwatch, const MeasureOptions& options,
                Observer* observer = nullptr);

}  // namespace benanza::harness
