#pragma once

#include <vector>

#include "suites/harness/primitive.h"
#include "suites/nvidia/device/handles.h"

namespace benanza::nvidia {

/// Tasks that run at the same time where none has to wait for the other: in a graph that is being
/// captured, each is a graph of its own, behind those of the tasks before it. Without a capture,
/// they run in order.
class Branches final : public harness::BareCall {
 public:
  /// `stream`: where the tasks' calls enqueue their work. Runs all once. Throws Unsupported if a
  /// task cannot be captured. The calls must outlive this.
  Branches(cudaStream_t stream, std::vector<harness::Task> tasks);

  void run() override;

 private:
  void run_in_order() const;
  void add_to_capture() const;

  cudaStream_t stream_;
  std::vector<harness::Task> tasks_;
  std::vector<Graph> graphs_;
};

}  // namespace benanza::nvidia
