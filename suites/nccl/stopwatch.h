#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "suites/harness/backend.h"
#include "suites/nccl/gpus.h"
#include "suites/nccl/primitive.h"
#include "suites/nvidia/device/device_memory.h"

namespace benanza::nccl {

/// Times several GPUs driven by one process: the longest time between two events on any of them.
/// All GPUs start after the same event.
///
/// In a graph: the calls of each GPU form a CUDA graph, and the GPUs are held back until all graphs
/// are launched, so that no gaps on the host are counted. A separate thread launches each graph,
/// because a launch may block until the other GPUs' are there, as NCCL's documentation warns.
///
/// Launched: by one thread, as a group, after one call that is not counted (it ends on all GPUs at
/// about the same moment). If launching takes longer than the calls, the launch time is measured.
///
/// Cold: twice the L2 cache of every GPU is overwritten, then one call is launched.
class GroupStopwatch : public harness::Stopwatch {
 public:
  explicit GroupStopwatch(Gpus& gpus) : gpus_(gpus) {}

  double time(harness::Primitive& primitive, std::int64_t calls) override;
  double time_cold(harness::Primitive& primitive) override;

  /// "timing" ("graph" or "launched") and "calls_per_graph" of the most recently timed primitive.
  Facts facts(const CollectivePrimitive& primitive) const;
  using Stopwatch::forget;
  /// Must be called before a primitive is destroyed: its graphs hold addresses of its memory.
  void forget(const CollectivePrimitive& primitive);

 private:
  struct State {
    const CollectivePrimitive* primitive = nullptr;
    std::vector<nvidia::GraphExec> graphs;
    std::int64_t graph_calls = 0;
    double graph_seconds = 0;
    double hold_seconds = 0;
  };
  struct Events {
    nvidia::Event ready;
    nvidia::Event start;
    nvidia::Event stop;
  };

  void begin(CollectivePrimitive& primitive);
  void capture(CollectivePrimitive& primitive, std::int64_t calls);
  /// Delays the first GPU by `seconds`, and makes the others wait for it.
  void hold(int ranks, double seconds);
  void record(int rank, nvidia::Event Events::*event);
  /// Waits for all work; returns the longest time from start to stop.
  double elapsed(int ranks);
  double sample_graphs(int ranks, std::int64_t replays);
  /// Times what `enqueue` enqueues for all ranks, after `prepare`, which is not counted.
  double sample_launched(int ranks, double hold_seconds, const std::function<void()>& prepare,
                         const std::function<void()>& enqueue);

  Gpus& gpus_;
  std::vector<Events> events_;
  std::vector<nvidia::DeviceMemory> flush_;
  State state_;
};

}  // namespace benanza::nccl
