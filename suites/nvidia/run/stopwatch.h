#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "suites/harness/backend.h"
#include "suites/nvidia/device/device_memory.h"
#include "suites/nvidia/device/handles.h"
#include "suites/nvidia/profiling/kernels.h"
#include "suites/nvidia/run/device_code.h"

namespace benanza::nvidia {

/// Stopwatch for a GPU.
///
/// Hot: the calls are captured into a CUDA graph, which is replayed between two events, after a
/// kernel that holds the stream until everything is enqueued, so that host gaps are not counted. A
/// graph has as many calls as make it run for half a millisecond, as far as known, is kept if it
/// runs half as long, and is replayed for any number of calls; its time is scaled to that number.
/// If a call cannot be captured, the calls are enqueued one by one between the events.
///
/// Cold: a buffer of twice the size of the L2 cache is overwritten, then one call runs between two
/// events; everything is enqueued before the stream is released. Some 2.4 us of the time between
/// the events (H100) is not the call's: an empty kernel between events takes that much longer than
/// one of many in a graph. It is measured once and subtracted.
///
/// Hot samples of one primitive are enqueued several at a time, so that the host's part of one is
/// done while the GPU runs another.
///
/// A sample during which the SM clock was below 75% of its nominal value is discarded and repeated,
/// at most `maximum_retries` times for each primitive.
class CudaStopwatch : public harness::Stopwatch {
 public:
  static constexpr double throttled_below = 0.75;
  static constexpr int maximum_retries = 10;
  /// Samples enqueued at a time.
  static constexpr std::size_t at_once = DeviceCode::readings_kept / 2;

  /// `stream`: the stream in which primitives enqueue their calls.
  CudaStopwatch(int device, cudaStream_t stream);

  /// Events have a resolution of about 1 us.
  double short_sample_seconds() const override { return 0.25e-3; }
  /// Holding the stream, two events, readings of the clock, and waiting, shared by the samples
  /// enqueued at once.
  double overhead_seconds() const override { return 0.02e-3; }
  /// The variants before have kept the clocks up; what is left is to load caches.
  double longest_warm_up_seconds() const override { return 0.25e-3; }
  double time(harness::Primitive& primitive, std::int64_t calls) override;
  /// A multiple of the calls in a graph, if `primitive` was timed last.
  std::int64_t whole_calls(const harness::Primitive& primitive, std::int64_t calls) const override;
  std::vector<double> time_samples(harness::Primitive& primitive, std::int64_t calls,
                                   std::size_t samples) override;
  std::size_t samples_at_once() const override { return at_once; }
  double time_cold(harness::Primitive& primitive) override;
  bool knows_flush_seconds() const override { return true; }
  /// Empty if the round cannot be captured.
  std::optional<double> flush_seconds(harness::Primitive& primitive) override;
  std::int64_t cache_bytes() const override { return flush_bytes_ / 2; }

  /// Facts of `primitive` if it was timed last, else empty: "timing" ("graph" or "events"),
  /// "kernels_per_call" and "memory_operations_per_call", "tensor_core_by_name" (if the kernels'
  /// names show it), "sm_clock_hz" (average of the last sample), "throttled_samples" (number
  /// discarded), "throttled" (true if one had to be kept); "event_seconds", what was subtracted
  /// from every cold time.
  Facts facts(const harness::Primitive& primitive) const;

  /// Enqueues the graph of `primitive` once more, if it was timed last, hot, and could be captured.
  /// Returns the number of calls in the graph; 0 if there is none.
  std::int64_t replay(const harness::Primitive& primitive);

  /// Captures the graph again, replacing the previous one, and replays it.
  std::int64_t recapture(harness::Primitive& primitive);

  /// Enqueues the work that precedes a sample of `primitive`: a cache flush after time_cold(), else
  /// a call.
  void prepare_as_timed(harness::Primitive& primitive);
  /// True if `primitive` was timed last, by time_cold().
  bool is_cold(const harness::Primitive& primitive) const {
    return state_.primitive == &primitive && state_.cold;
  }
  /// Enqueues a write of twice the L2 cache's size, which evicts its previous contents to memory.
  void flush();

  /// Makes time() and time_cold() throw std::runtime_error if one call of `primitive` took less
  /// than `seconds`, which the device cannot achieve.
  void expect_at_least(const harness::Primitive& primitive, double seconds);

  /// Its graph contains addresses of its memory.
  void forget(const harness::Primitive& primitive) override;

 private:
  using Action = std::function<void()>;
  struct Sample {
    double seconds = 0;
    /// Average SM clock during the sample, in Hz; empty if it was too short to measure.
    std::optional<double> clock_hz;
    /// False if enqueueing took longer than the kernel that holds the stream.
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
    /// Nodes of graphs enqueued for a sample; 0 if calls are enqueued without a graph.
    double nodes_per_sample = 0;
    double graph_seconds = 0;
    std::optional<GraphKernels> kernels;
    /// Number of calls that `kernels` covers.
    std::int64_t kernels_calls = 0;
    int throttled_samples = 0;
    bool kept_throttled = false;
    std::optional<double> clock_hz;
  };

  /// Times of an empty kernel.
  struct EmptyKernel {
    /// Of one among many in a graph.
    double seconds = 0;
    /// How much longer one takes between two events.
    double event_seconds = 0;
  };
  /// Measured at the first call.
  const EmptyKernel& empty_kernel();
  void begin(harness::Primitive& primitive);
  void reserve_flush();
  void capture(harness::Primitive& primitive, std::int64_t calls);
  /// The number of calls to capture in order to time `calls`.
  std::int64_t calls_to_capture(std::int64_t calls) const;
  /// Holds the stream for as long as it will take to enqueue `replays` of the graph.
  void fit_hold(std::int64_t replays);
  /// The kernels and memory operations in the graph.
  double graph_nodes() const;
  /// The number of calls in the graph that time() replays for `calls`: whole rounds.
  std::int64_t fitting_graph_calls(const harness::Primitive& primitive, std::int64_t calls) const;
  /// Captures a graph for `calls`, if that is possible and the graph at hand is too short.
  void fit_graph(harness::Primitive& primitive, std::int64_t calls);
  /// Returns the seconds that `enqueue` takes on the GPU, without the preceding `prepare`, `count`
  /// times.
  std::vector<double> timed(const Action& prepare, const Action& enqueue, std::size_t count);
  /// Returns `seconds_per_call`. Throws if it is below the minimum of expect_at_least().
  double possible(const harness::Primitive& primitive, double seconds_per_call) const;
  /// Takes `count` samples, at most at_once, one after the other.
  std::vector<Sample> take(const Action& prepare, const Action& enqueue, std::size_t count);
  /// True if the sample was not throttled or has to be kept nevertheless.
  bool keep(const Sample& taken);

  struct Events {
    Event start = make_event();
    Event stop = make_event();
  };
  cudaStream_t stream_;
  std::array<Events, at_once> events_;
  DeviceCode code_;
  double nominal_clock_hz_;
  std::int64_t flush_bytes_;
  DeviceMemory flush_memory_;
  /// How long the stream is held before the first of several samples.
  double hold_seconds_;
  /// What the host needs to enqueue a node of a graph.
  double seconds_per_node_ = 0.2e-6;
  std::optional<EmptyKernel> empty_kernel_;
  State state_;
  std::map<const harness::Primitive*, double> least_seconds_;
};

}  // namespace benanza::nvidia
