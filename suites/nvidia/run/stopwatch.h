#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include "suites/harness/backend.h"
#include "suites/nvidia/device/device_memory.h"
#include "suites/nvidia/device/handles.h"
#include "suites/nvidia/profiling/graph_kernels.h"
#include "suites/nvidia/run/device_code.h"

namespace benanza::nvidia {

/// The clock of a GPU.
///
/// Hot: the calls are captured into a CUDA graph and replayed between two events, behind a kernel
/// that holds the stream until everything is enqueued: no gap of the host is counted. A graph that
/// runs for long enough is kept and replayed for any number of calls, the time scaled by their
/// number. Where a call cannot be captured, the calls are enqueued one by one between the events.
///
/// Cold: twice the L2 cache is overwritten, then one call runs between two events, all of it
/// enqueued before the first event.
///
/// A sample during which the SM clock was below 75% of its nominal value is thrown away and
/// repeated, at most `maximum_retries` times for each primitive.
class CudaStopwatch : public harness::Stopwatch {
 public:
  static constexpr double throttled_below = 0.75;
  static constexpr int maximum_retries = 10;

  /// `stream` is where primitives enqueue their calls.
  CudaStopwatch(int device, cudaStream_t stream);

  /// Events resolve about 1 us.
  double short_sample_seconds() const override { return 0.25e-3; }
  double time(harness::Primitive& primitive, std::int64_t calls) override;
  double time_cold(harness::Primitive& primitive) override;

  /// Of `primitive`, if it was timed last: "timing" ("graph" or "events"), "kernels_per_call" and
  /// "memory_operations_per_call", "tensor_core_by_name" (where the kernels' names tell),
  /// "sm_clock_hz" (average of the last sample), "throttled_samples" (thrown away), "throttled"
  /// (true if one had to be kept). Else empty.
  Facts facts(const harness::Primitive& primitive) const;

  /// Enqueues the graph of `primitive` once more, if it was timed last and could be captured.
  /// Returns the number of calls in it; 0 if there is none.
  std::int64_t replay(const harness::Primitive& primitive);

  /// replay() of a graph captured anew, which takes the other one's place.
  std::int64_t recapture(harness::Primitive& primitive);

  /// Enqueues what a sample of `primitive` finds before it: after time_cold() the flush of the
  /// caches, else a call.
  void prepare_as_timed(harness::Primitive& primitive);
  /// Enqueues the writing of twice the L2 cache: what it held is in memory then, and only there.
  void flush();

  /// From now on time() and time_cold() throw std::runtime_error where one call of `primitive` took
  /// less than `seconds`: the device cannot do that.
  void expect_at_least(const harness::Primitive& primitive, double seconds);

  /// Must be called before a primitive dies: its graph holds addresses of its memory.
  void forget(const harness::Primitive& primitive);

 private:
  using Action = std::function<void()>;
  struct Sample {
    double seconds = 0;
    /// Average SM clock while it ran, in Hz; empty if it was too short to tell.
    std::optional<double> clock_hz;
    /// False if the host was slower than the kernel that holds the stream.
    bool gapless = true;
  };
  /// The state of the primitive timed last.
  struct State {
    const harness::Primitive* primitive = nullptr;
    bool capturable = true;
    /// Timed by time_cold().
    bool cold = false;
    GraphExec graph;
    std::int64_t graph_calls = 0;
    double graph_seconds = 0;
    std::optional<GraphKernels> kernels;
    /// Calls that `kernels` describes.
    std::int64_t kernels_calls = 0;
    int throttled_samples = 0;
    bool kept_throttled = false;
    std::optional<double> clock_hz;
  };

  void begin(harness::Primitive& primitive);
  void reserve_flush();
  void capture(harness::Primitive& primitive, std::int64_t calls);
  /// Seconds `enqueue` takes on the GPU, `prepare` before it not counted.
  double timed(const Action& prepare, const Action& enqueue);
  /// `seconds_per_call` itself. Throws if that is impossible.
  double possible(const harness::Primitive& primitive, double seconds_per_call) const;
  Sample sample(const Action& prepare, const Action& enqueue);
  Sample gapless_sample(const Action& prepare, const Action& enqueue);

  cudaStream_t stream_;
  Event start_ = make_event();
  Event stop_ = make_event();
  DeviceCode code_;
  double nominal_clock_hz_;
  std::int64_t flush_bytes_;
  DeviceMemory flush_memory_;
  /// How long the stream is held before a sample.
  double hold_seconds_;
  State state_;
  std::map<const harness::Primitive*, double> least_seconds_;
};

}  // namespace benanza::nvidia
