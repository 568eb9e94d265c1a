#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "suites/harness/backend.h"
#include "suites/harness/outcome.h"

namespace benanza::harness {

struct MeasureOptions {
  /// Timed seconds after which sampling stops even if the median is not known well enough.
  double budget_seconds = 0.3;
  /// Timed seconds before which sampling does not stop; at most the budget counts.
  double minimum_seconds = 0;
  /// Seconds this variant has cost before measure() was called.
  double preparation_seconds = 0;
  /// Preparation and warm-up are paid back with at least so many times as long inside timed regions
  /// (within the budget): precision is cheap then, and most of a suite's wall time is timed.
  double payback = 4;
  double warmup_seconds = 0.002;
  /// Shortest hot sample: calls are batched until one sample lasts this long, so that the clock's
  /// resolution and the cost of reading it do not count.
  double sample_seconds = 1e-3;
  std::size_t minimum_samples = 7;
  /// Half-width of the median's 95% confidence interval, relative to the median, at which sampling
  /// stops.
  double precision = 0.01;
  /// Median of the fastest variant known for the same problem and precision.
  std::optional<double> rival_seconds = {};
  /// A variant is outclassed if even its fastest sample takes this many times as long as the rival.
  double outclassed_by = 1.5;
  /// The same for one that is given up after the fewest samples, whatever its preparation cost.
  double hopeless_by = 2.5;
  /// Every sample is one call with flushed caches.
  bool cold = false;
};

/// Runs the primitive until it is warm. Calls of one sample. A batch of another size costs more
/// than its time (a graph is captured anew): a size is kept if a sample of it is long enough.
std::int64_t warm_up(Primitive& primitive, Stopwatch& stopwatch, const MeasureOptions& options);

/// The one timing loop. Warms up (two calls at least, one if it is longer than the budget), then
/// takes samples until
///   converged  minimum_samples, minimum_seconds and the payback are reached and the median is
///   known to within
///              `precision`,
///   outclassed the same minimums are reached and a rival is far ahead, or three samples are taken
///              and it is out of reach, or
///   budget     budget_seconds are spent and three samples taken; ten budgets, flushing included,
///              end it even before the third sample.
/// The outcome's status is ok; `observer`, if there is one, watches from the end of the warm-up to
/// the last sample. Throws what the primitive throws, and std::runtime_error if the clock did not
/// advance.
Outcome measure(Primitive& primitive, Stopwatch& stopwatch, const MeasureOptions& options,
                Observer* observer = nullptr);

}  // namespace benanza::harness
