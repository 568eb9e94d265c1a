#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <optional>

#include "cuda/device_code.h"
#include "cuda/device_memory.h"
#include "cuda/graph_kernels.h"
#include "cuda/handles.h"
#include "harness/backend.h"

namespace benanza {

/// The clock of a GPU.
///
/// Hot: the calls are captured into a CUDA graph and replayed between two events, behind a kernel
/// that holds the stream until everything is enqueued: no gap of the host is counted. A graph that
/// runs for long enough is kept and replayed for any number of calls, the time scaled by their
/// number. Where a call cannot be captured, the same calls are enqueued one by one.
///
/// Cold: twice the L2 cache is overwritten, then one call runs between two events, all of it
/// enqueued before the first event.
///
/// A sample during which the SM clock was below 75% of its nominal value is thrown away and repeated,
/// at most `maximum_retries` times for each primitive.
class CudaStopwatch : public Stopwatch {
 public:
  static constexpr double throttled_below = 0.75;
  static constexpr int maximum_retries = 10;

  /// `stream` is where primitives enqueue their calls.
  CudaStopwatch(int device, cudaStream_t stream);

  double time(Primitive& primitive, std::int64_t calls) override;
  double time_cold(Primitive& primitive) override;

  /// Of the primitive timed last, if it is `primitive`: "timing" ("graph" or "events"),
  /// "kernels_per_call", "tensor_core_by_name" (where the kernels' names tell), "sm_clock_mhz",
  /// "throttled_samples" (thrown away), "throttled" (true if a kept sample was).
  Facts facts(const Primitive& primitive) const;

  /// Names of the kernels of one call, mangled, of the primitive timed last.
  const GraphKernels& kernels() const { return kernels_; }

  /// Must be called before a primitive dies: its graph holds addresses of its memory.
  void forget(const Primitive& primitive);

 private:
  struct Sample {
    double seconds = 0;
    /// Average SM clock while it ran, in Hz; empty if it was too short to tell.
    std::optional<double> clock_hz;
  };

  void begin(const Primitive& primitive);
  template <class Enqueue>
  double timed(Enqueue enqueue);
  template <class Enqueue>
  Sample sample(Enqueue enqueue);
  void capture(Primitive& primitive, std::int64_t calls);
  void flush();

  cudaStream_t stream_;
  Event start_ = make_event();
  Event stop_ = make_event();
  DeviceCode code_;
  double nominal_clock_hz_;
  std::int64_t flush_bytes_;
  DeviceMemory flush_memory_;

  const Primitive* primitive_ = nullptr;
  GraphExec graph_;
  std::int64_t graph_calls_ = 0;
  double graph_seconds_ = 0;
  bool capturable_ = true;
  double enqueue_seconds_ = 0;
  GraphKernels kernels_;
  int throttled_samples_ = 0;
  bool kept_throttled_ = false;
  std::optional<double> clock_hz_;
};

}  // namespace benanza
