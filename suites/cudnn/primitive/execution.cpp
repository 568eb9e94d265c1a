#include "suites/cudnn/primitive/execution.h"

#include <utility>

#include "suites/cudnn/api/status.h"

namespace benanza::cudnn {
namespace {

/// For lookups by name, which need no heuristics.
constexpr EngineQuery by_name{.most = 0};

}  // namespace

std::int64_t PlannedGraph::workspace_bytes() const {
  return plan->number(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
}

PlannedGraph plan_named(OperationGraph graph, const std::string& name, GraphPlans& plans) {
  PlannedGraph planned;
  planned.scalars.assign(graph.scalars().begin(), graph.scalars().end());
  planned.constants = graph.constants();
  planned.known = plans.known(std::move(graph), by_name);
  planned.choice = &plans.choice(*planned.known, name);
  planned.plan = &plans.plan(*planned.known, *planned.choice);
  return planned;
}

void prefetch_named(OperationGraph graph, const std::string& name, GraphPlans& plans,
                    const harness::Variant& variant, const harness::Variant& request) {
  const auto known = plans.known(std::move(graph), by_name);
  plans.prefetch(known, plans.choice(*known, name), variant, request);
}

std::vector<std::string> near_named(OperationGraph graph, const std::string& name,
                                    GraphPlans& plans) {
  const auto known = plans.known(std::move(graph), by_name);
  return plans.near(*known, name);
}

Execution::Execution(PlannedGraph planned, const std::vector<Binding>& tensors, void* workspace,
                     cudaStream_t stream)
    : planned_(std::move(planned)), pack_(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR) {
  std::vector<std::int64_t> ids;
  std::vector<void*> places;
  const auto bind = [&](OperationGraph::Id id, void* memory) {
    ids.push_back(OperationGraph::unique_id(id));
    places.push_back(memory);
  };
  for (const Binding& tensor : tensors) bind(tensor.id, tensor.memory);
  for (auto& scalar : planned_.scalars) {
    std::visit([&](auto& value) { bind(scalar.id, &value); }, scalar.value);
  }
  for (const auto& constant : planned_.constants) {
    nvidia::DeviceMemory& memory = constants_.emplace_back(nvidia::span_bytes(constant.format));
    memory.write(constant.bytes(), stream);
    bind(constant.id, memory.data());
  }
  pack_.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids);
  pack_.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR,
            static_cast<std::int64_t>(places.size()), places.data());
  pack_.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, workspace);
  pack_.finalize();
}

void Execution::run(cudnnHandle_t handle) const {
  BENANZA_CUDNN(cudnnBackendExecute, handle, planned_.plan->get(), pack_.get());
}

}  // namespace benanza::cudnn
