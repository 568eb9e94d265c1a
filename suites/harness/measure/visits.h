#pragma once

#include <cstdint>

#include "suites/harness/measure/measure.h"

namespace benanza::harness {

/// A verified primitive that is timed in short visits, between which another process times its own:
/// what changes on the machine meanwhile, both have met. Samples are as short as the clock allows,
/// so that some of them fall between two turns of what else runs on the processors.
class Visits {
 public:
  /// Warms up. Everything outlives the visits; `options.budget_seconds` is that of one visit.
  Visits(Primitive& primitive, Stopwatch& stopwatch, const MeasureOptions& options);

  /// Calls that a sample of this primitive takes to be long enough.
  std::int64_t calls() const { return calls_; }
  /// Seconds of a call: what the fastest sixth of the samples of one visit take at most, `calls`
  /// each; five samples at least, of which it is the fastest.
  double visit(std::int64_t calls);

  /// Its samples are what the visits said. Throws std::runtime_error where there was none.
  Outcome outcome() const;

 private:
  Primitive& primitive_;
  Stopwatch& stopwatch_;
  MeasureOptions options_;
  std::int64_t calls_ = 1;
  Outcome outcome_{};
};

}  // namespace benanza::harness
