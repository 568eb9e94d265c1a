#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "suites/harness/backend.h"

namespace benanza::harness {

/// How the caches are emptied before a cold run: every processor this process may use writes a
/// buffer, since a thread's private cache survives what another one writes.
struct CacheFlush {
  /// Numbers of the processors.
  std::vector<int> processors;
  std::size_t bytes_per_processor = 0;
  /// What the caches of these processors that hold data hold together; 0: the system does not tell.
  std::int64_t cache_bytes = 0;

  /// Buffers of twice a processor's own caches and its share of the last-level cache, as the system
  /// tells them; 64 MiB where it does not.
  static CacheFlush of_this_machine();
};

/// Clock of engines that run on the host: std::chrono::steady_clock around the calls.
class HostStopwatch : public Stopwatch {
 public:
  /// `finish` waits until every enqueued call is done; empty if run() returns only then.
  explicit HostStopwatch(std::function<void()> finish = {}) : finish_(std::move(finish)) {}

  double time(Primitive& primitive, std::int64_t calls) override;
  double time_cold(Primitive& primitive) override;
  double short_sample_seconds() const override { return 1e-4; }

 private:
  void flush_caches();

  std::function<void()> finish_;
  /// Made by the first cold run.
  CacheFlush flush_;
  std::vector<std::vector<unsigned char>> buffers_;
};

}  // namespace benanza::harness
