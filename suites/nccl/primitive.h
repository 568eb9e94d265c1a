#pragma once

#include <vector>

#include "core/problem/ops/collective.h"
#include "suites/harness/primitive.h"
#include "suites/nccl/gpus.h"
#include "suites/nvidia/device/device_memory.h"

namespace benanza::nccl {

class GroupStopwatch;

/// A collective over the first GPUs, each with its own buffers; not in place.
class CollectivePrimitive : public harness::Primitive {
 public:
  /// All arguments must outlive the primitive. If `in_graph`, the stopwatch replays the calls from
  /// CUDA graphs instead of launching them one by one.
  CollectivePrimitive(Gpus& gpus, GroupStopwatch& stopwatch, const Collective& shape,
                      Precision precision, bool in_graph);
  ~CollectivePrimitive() override;
  CollectivePrimitive(const CollectivePrimitive&) = delete;
  CollectivePrimitive& operator=(const CollectivePrimitive&) = delete;

  int ranks() const { return static_cast<int>(shape_.ranks); }
  bool in_graph() const { return in_graph_; }

  void upload(std::size_t index, std::span<const float> values) override;
  void poison_output() override;
  /// Enqueues the call on every rank's stream, as one group.
  void run() override;
  std::vector<float> download() override;
  std::int64_t workspace_bytes() const override { return 0; }
  Facts facts() override;

 private:
  void enqueue(int rank, ncclComm_t communicator);

  Gpus& gpus_;
  GroupStopwatch& stopwatch_;
  Collective shape_;
  Precision precision_;
  bool in_graph_;
  std::vector<nvidia::DeviceMemory> sent_;
  std::vector<nvidia::DeviceMemory> received_;
};

}  // namespace benanza::nccl
