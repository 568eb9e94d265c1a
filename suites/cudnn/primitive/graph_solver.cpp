#include "suites/cudnn/primitive/graph_solver.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "suites/cudnn/primitive/cudnn_primitive.h"
#include "suites/cudnn/api/status.h"
#include "suites/nvidia/device/convert.h"
#include "suites/nvidia/device/device_memory.h"

namespace benanza::cudnn {
namespace {

/// True fp32 multiplies without Tensor Cores.
bool exact(const GraphCall& call, const Variant& variant) {
  return variant.precision == Precision::fp32 && call.graph.has_products();
}

std::string engine_name(const GraphCall& call, const EngineChoice& choice) {
  return call.prefix + "engine" + std::to_string(choice.engine);
}

struct Planned {
  GraphCall call;
  std::vector<OperationGraph::Scalar> scalars;
  std::vector<OperationGraph::Filled> constants;
  bool tensor_cores = false;
  std::shared_ptr<KnownGraph> known;
  const Descriptor* plan = nullptr;
};

bool is_wrong(const GraphCall& call, const EngineChoice& choice) {
  return std::find(call.wrong_engines.begin(), call.wrong_engines.end(), choice.engine) !=
         call.wrong_engines.end();
}

Planned plan_of(const GraphCalls& calls, const Variant& variant, GraphPlans& plans) {
  for (GraphCall& call : calls(variant)) {
    if (!variant.algorithm.starts_with(call.prefix + "engine")) continue;
    Planned planned;
    planned.scalars.assign(call.graph.scalars().begin(), call.graph.scalars().end());
    planned.constants = call.graph.constants();
    const bool is_exact = exact(call, variant);
    planned.known = plans.known(std::move(call.graph), is_exact);
    for (const EngineChoice& choice : planned.known->choices) {
      if (engine_name(call, choice) != variant.algorithm) continue;
      planned.plan = &plans.plan(*planned.known, choice);
      planned.tensor_cores = choice.tensor_cores;
      planned.call = std::move(call);
      return planned;
    }
  }
  throw Unsupported("cuDNN offers no " + std::string(variant.algorithm));
}

class GraphLayer final : public Layer {
 public:
  GraphLayer(Library& library, const Variant& variant, Planned planned, std::int64_t bytes)
      : Layer(library, variant, planned.call.inputs, planned.call.output, bytes),
        scalars_(std::move(planned.scalars)),
        known_(std::move(planned.known)),
        plan_(*planned.plan),
        tensor_cores_(planned.tensor_cores),
        pack_(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR) {
    std::vector<std::int64_t> ids = planned.call.bound;
    std::vector<void*> places;
    for (std::size_t index = 0; index + 1 < ids.size(); ++index) places.push_back(input(index));
    places.push_back(output());
    for (auto& scalar : scalars_) {
      ids.push_back(scalar.id);
      places.push_back(&scalar.value);
    }
    for (const auto& constant : planned.constants) {
      DeviceMemory& memory = constants_.emplace_back(span_bytes(constant.format));
      const auto count = static_cast<std::size_t>(element_count(constant.format.dims));
      memory.write(to_storage(std::vector<float>(count, constant.value), constant.format),
                   stream());
      ids.push_back(constant.id);
      places.push_back(memory.data());
    }
    pack_.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids);
    pack_.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR,
              static_cast<std::int64_t>(places.size()), places.data());
    void* scratch = workspace();
    pack_.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, scratch);
    pack_.finalize();
  }

  void run() override { BENANZA_CUDNN(cudnnBackendExecute, handle(), plan_.get(), pack_.get()); }

 protected:
  Facts library_facts() override { return {{"tensor_core_claimed", tensor_cores_}}; }

 private:
  std::vector<OperationGraph::Scalar> scalars_;
  std::shared_ptr<KnownGraph> known_;
  const Descriptor& plan_;
  bool tensor_cores_;
  Descriptor pack_;
  std::vector<DeviceMemory> constants_;
};

class GraphSolver final : public Solver {
 public:
  GraphSolver(std::vector<Layout> layouts, GraphCalls calls)
      : layouts_(std::move(layouts)), calls_(std::move(calls)) {}

  std::vector<Layout> layouts() const override { return layouts_; }

  std::vector<Algorithm> algorithms(Library& library, const Variant& prototype) const override {
    return graph_algorithms(calls_, prototype, library.graph_plans());
  }

  std::unique_ptr<CudaPrimitive> create(Library& library, const Variant& variant) const override {
    Planned planned = plan_of(calls_, variant, library.graph_plans());
    const std::int64_t bytes = planned.plan->number(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
    library.check_workspace(bytes);
    return std::make_unique<GraphLayer>(library, variant, std::move(planned), bytes);
  }

 private:
  std::vector<Layout> layouts_;
  GraphCalls calls_;
};

class CallOrGraph final : public Solver {
 public:
  CallOrGraph(std::unique_ptr<Solver> call, std::unique_ptr<Solver> graph)
      : call_(std::move(call)), graph_(std::move(graph)) {}

  std::vector<Layout> layouts() const override { return graph_->layouts(); }

  std::vector<Algorithm> algorithms(Library& library, const Variant& prototype) const override {
    std::vector<Algorithm> names;
    std::optional<Unsupported> refusal;
    const auto ask = [&](const Solver& solver) {
      try {
        const auto found = solver.algorithms(library, prototype);
        names.insert(names.end(), found.begin(), found.end());
      } catch (const Unsupported& refused) {
        if (!refusal) refusal = refused;
      }
    };
    const auto layouts = call_->layouts();
    if (std::find(layouts.begin(), layouts.end(), prototype.layout) != layouts.end()) ask(*call_);
    ask(*graph_);
    if (names.empty()) throw *refusal;
    return names;
  }

  std::unique_ptr<CudaPrimitive> create(Library& library, const Variant& variant) const override {
    const bool is_engine = variant.algorithm.find("engine") != variant.algorithm.npos;
    return (is_engine ? graph_ : call_)->create(library, variant);
  }

 private:
  std::unique_ptr<Solver> call_;
  std::unique_ptr<Solver> graph_;
};

}  // namespace

std::unique_ptr<Solver> call_or_graph(std::unique_ptr<Solver> call, std::unique_ptr<Solver> graph) {
  return std::make_unique<CallOrGraph>(std::move(call), std::move(graph));
}

std::vector<Algorithm> graph_algorithms(const GraphCalls& calls, const Variant& variant,
                                        GraphPlans& plans) {
  std::vector<Algorithm> names;
  std::optional<Unsupported> first_refusal;
  for (GraphCall& call : calls(variant)) {
    try {
      const bool is_exact = exact(call, variant);
      for (const EngineChoice& choice : plans.known(std::move(call.graph), is_exact)->choices) {
        if (!is_wrong(call, choice)) names.emplace_back(engine_name(call, choice));
      }
    } catch (const Unsupported& refusal) {
      if (!first_refusal) first_refusal = refusal;
    }
  }
  if (names.empty()) throw first_refusal.value_or(Unsupported("cuDNN has no graph for this"));
  return names;
}

std::int64_t graph_workspace(const GraphCalls& calls, const Variant& variant, GraphPlans& plans) {
  return plan_of(calls, variant, plans).plan->number(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
}

std::unique_ptr<Solver> graph_solver(std::vector<Layout> layouts, GraphCalls calls) {
  return std::make_unique<GraphSolver>(std::move(layouts), std::move(calls));
}

}  // namespace benanza::cudnn
