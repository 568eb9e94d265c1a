#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "suites/cudnn/graph/plans.h"
#include "suites/nvidia/device/device_memory.h"

namespace benanza::cudnn {

/// An engine's plan for a graph, and what the graph needs besides its tensors.
struct PlannedGraph {
  std::vector<OperationGraph::Scalar> scalars;
  std::vector<OperationGraph::Filled> constants;
  std::shared_ptr<KnownGraph> known;
  /// Of `known`.
  const EngineChoice* choice = nullptr;
  const Descriptor* plan = nullptr;

  std::int64_t workspace_bytes() const;
};

/// Builds the plan of the engine `name`, which need not be among those that the heuristics list.
/// Throws Unsupported if the library refuses it.
PlannedGraph plan_named(OperationGraph graph, const std::string& name, GraphPlans& plans);

/// Starts building the plan of the engine `name` in another process. `variant` waits for it, and
/// `request` is the variant whose way's prefetch builds this plan.
void prefetch_named(OperationGraph graph, const std::string& name, GraphPlans& plans,
                    const harness::Variant& variant, const harness::Variant& request);

/// The names of engines that differ from `name` in a setting.
std::vector<std::string> near_named(OperationGraph graph, const std::string& name,
                                    GraphPlans& plans);

/// A plan with its tensors' memory: one call.
class Execution {
 public:
  struct Binding {
    OperationGraph::Id id = 0;
    void* memory = nullptr;
  };

  /// `tensors`: all of the graph's except scalars and constants, which are made here, on `stream`.
  Execution(PlannedGraph planned, const std::vector<Binding>& tensors, void* workspace,
            cudaStream_t stream);

  void run(cudnnHandle_t handle) const;

 private:
  PlannedGraph planned_;
  std::deque<nvidia::DeviceMemory> constants_;
  Descriptor pack_;
};

}  // namespace benanza::cudnn
