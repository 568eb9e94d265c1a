#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "suites/harness/backend.h"

namespace benanza::harness {

/// How the caches are flushed before a cold run: every processor this process may use writes its
/// own buffer, because a thread's private cache is not affected by writes of other threads.
struct CacheFlush {
  /// Numbers of the processors.
  std::vector<int> processors;
  std::size_t bytes_per_processor = 0;
  /// Total capacity of the data and unified caches of these processors; 0 if the system does not
  /// report it.
  std::int64_t cache_bytes = 0;

  /// Buffers of twice the size of a processor's own caches plus its share of the last-level cache;
  /// 64 MiB if the system does not report the sizes.
  static CacheFlush of_this_machine();
};

/// Stopwatch for engines that run on the host: std::chrono::steady_clock around the calls.
class HostStopwatch : public Stopwatch {
 public:
  /// `finish` waits until every enqueued call is done; empty if run() is synchronous.
  explicit HostStopwatch(std::function<void()> finish = {}) : finish_(std::move(finish)) {}

  double time(Primitive& primitive, std::int64_t calls) override;
  double time_cold(Primitive& primitive) override;
  std::int64_t cache_bytes() const override { return CacheFlush::of_this_machine().cache_bytes; }
  /// A thread of this process had to leave its processor to another one.
  bool was_interrupted() const override { return interrupted_; }
  double short_sample_seconds() const override { return 1e-4; }

 private:
  void flush_caches();

  std::function<void()> finish_;
  bool interrupted_ = false;
  /// Initialised by the first cold run.
  CacheFlush flush_;
  std::vector<std::vector<unsigned char>> buffers_;
};

}  // namespace benanza::harness
