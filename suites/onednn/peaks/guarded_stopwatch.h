#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "suites/harness/measure/host_stopwatch.h"
#include "suites/harness/peaks.h"

namespace benanza::onednn {

/// The host's clock, which holds every time against the machine's peaks, once they are known.
/// Processors share their machine, and their clocks change: a call that is faster than the peaks
/// was seen to do more, and raises them; one that is faster than is possible has the peaks measured
/// again, which may have been disturbed, before it is an error.
class GuardedStopwatch : public harness::HostStopwatch {
 public:
  using Measure = std::function<harness::Peaks()>;

  GuardedStopwatch(std::function<void()> finish, Measure measure)
      : HostStopwatch(std::move(finish)), measure_(std::move(measure)) {}

  /// Of a PlannedPrimitive; of others nothing is known. Throws std::runtime_error for a time that
  /// is not possible.
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
