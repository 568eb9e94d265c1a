#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "suites/harness/measure/host_stopwatch.h"
#include "suites/harness/peaks/peaks.h"

namespace benanza::onednn {

/// A host stopwatch that checks every time against the machine's peaks, once they are known. CPUs
/// share their machine and their clocks change, so a call that is faster than the reported peaks
/// raises them; one that is faster than possible first has the peaks measured again, because that
/// measurement may have been disturbed, before it is an error. Up to twice the bandwidth is none.
class GuardedStopwatch : public harness::HostStopwatch {
 public:
  using Measure = std::function<harness::Peaks()>;

  GuardedStopwatch(std::function<void()> finish, Measure measure)
      : HostStopwatch(std::move(finish)), measure_(std::move(measure)) {}

  /// Checks PlannedPrimitives only; nothing is known about others. Throws std::runtime_error for an
  /// impossible time.
  double time(harness::Primitive& primitive, std::int64_t calls) override;

  const std::optional<harness::Peaks>& peaks() const { return peaks_; }
  void set_peaks(harness::Peaks peaks) { peaks_ = std::move(peaks); }

 private:
  void judge(const harness::Primitive& primitive, double seconds_per_call);

  Measure measure_;
  std::optional<harness::Peaks> peaks_;
  int measured_again_ = 0;
};

}  // namespace benanza::onednn
