#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "suites/harness/backend.h"
#include "suites/harness/measure/host_stopwatch.h"
#include "suites/harness/peaks/peaks.h"

namespace benanza::onednn {

/// Reads and writes memory on all threads, each in its own part, with functions of the C library.
class Traffic {
 public:
  /// read: memchr() for a byte that does not occur; compare: memcmp() of two equal buffers; copy:
  /// memcpy(); fill: memset().
  enum class Kind { read, compare, copy, fill };
  static constexpr Kind all_kinds[] = {Kind::read, Kind::compare, Kind::copy, Kind::fill};

  /// Allocates two buffers of `bytes` each, first written by the threads that use them. Throws
  /// std::bad_alloc.
  explicit Traffic(std::size_t bytes);

  /// Makes one pass; returns the bytes read and written per second.
  double rate(Kind kind);

 private:
  std::size_t bytes_;
  std::shared_ptr<std::byte> first_;
  std::shared_ptr<std::byte> second_;
};

/// Measures the arithmetic peak of every precision that `library`, a backend of host primitives,
/// supports, by matrix products and convolutions, and the bandwidth by copies, fills and reads far
/// beyond `cache_bytes`. Takes the best of several ways and sizes on all OpenMP threads, on random
/// values and on zeros; `possible` includes one thread's rate times the threads. Takes a second or
/// two. Peaks that are unsupported or do not fit in memory stay unknown, and so does
/// the bandwidth for unknown caches (0 bytes).
harness::Peaks measure_peaks(harness::Backend& library, std::int64_t cache_bytes);

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
