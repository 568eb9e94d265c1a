#include "suites/cudnn/primitive/graph_solver.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/several_results.h"
#include "suites/nvidia/device/convert.h"
#include "suites/nvidia/device/device_memory.h"

namespace benanza::cudnn {
namespace {

/// Products have many configs, with very different times. For 143 convolutions on an H200 (sum of
/// the GPU times of the best calls, docs/results.md), the first 8 configs lose 0.04% against the
/// first 16, the first 4 lose 0.10%, the first one 2.0%. Other graphs have few configs, all
/// compiled at run time; for elementwise functions all configs are equally fast.
EngineQuery query_of(const GraphCall& call, const harness::Variant& variant,
                     harness::AlgorithmSet set) {
  EngineQuery query{.per_engine = 1, .leading = 1, .most = 3, .most_compiled = 3};
  if (call.graph.is_elementwise()) query.most = 1;
  query.defaults = call.needs_defaults;
  if (call.graph.has_products()) {
    query = {.per_engine = 2, .leading = 4, .most = 8, .most_compiled = 4};
    // Graphs other than the library's own form of the problem only have compiled engines.
    if (!call.prefix.empty()) query.most = query.most_compiled;
    if (variant.precision == Precision::fp32) query.arithmetic = Arithmetic::no_tensor_cores;
    if (variant.precision == Precision::tf32) query.arithmetic = Arithmetic::full_inputs;
  }
  if (set == harness::AlgorithmSet::leading) {
    query.most = query.most_compiled = call.graph.has_products() && call.prefix.empty() ? 2 : 1;
  }
  if (set == harness::AlgorithmSet::with_reference) {
    constexpr std::size_t all = 1000;
    query.per_engine = query.most = query.most_compiled = all;
    query.every_engine = true;
  }
  return query;
}

/// For lookups by name, which need no heuristics.
constexpr EngineQuery by_name{.most = 0};

std::string engine_name(const GraphCall& call, const EngineChoice& choice) {
  return call.prefix + choice.name();
}

/// An engine's name must follow the prefix directly: "max." does not match "maximum.engine5".
bool is_of(const GraphCall& call, const harness::Algorithm& algorithm) {
  if (!algorithm.starts_with(call.prefix)) return false;
  const std::string_view rest = std::string_view(algorithm).substr(call.prefix.size());
  return rest.starts_with("engine") || rest.starts_with("winograd.engine") ||
         rest.starts_with("fft.engine");
}

struct Planned {
  GraphCall call;
  std::vector<OperationGraph::Scalar> scalars;
  std::vector<OperationGraph::Filled> constants;
  bool tensor_cores = false;
  bool transforms = false;
  double partial_sums = harness::Primitive::few_partial_sums;
  std::shared_ptr<KnownGraph> known;
  const Descriptor* plan = nullptr;
};

bool is_wrong(const GraphCall& call, const EngineChoice& choice) {
  return std::ranges::find(call.wrong_engines, choice.id.engine) != call.wrong_engines.end();
}

Planned plan_of(GraphCalls calls, const harness::Variant& variant, GraphPlans& plans) {
  for (GraphCall& call : calls) {
    if (!is_of(call, variant.algorithm)) continue;
    Planned planned;
    planned.scalars.assign(call.graph.scalars().begin(), call.graph.scalars().end());
    planned.constants = call.graph.constants();
    planned.known = plans.known(std::move(call.graph), by_name);
    const EngineChoice& choice =
        plans.choice(*planned.known, variant.algorithm.substr(call.prefix.size()));
    planned.plan = &plans.plan(*planned.known, choice);
    planned.tensor_cores = choice.tensor_cores;
    planned.transforms =
        !choice.transform.empty() ||
        std::ranges::find(call.silent_transforms, choice.id.engine) != call.silent_transforms.end();
    if (call.adds_slices) {
      planned.partial_sums = std::max(planned.partial_sums, static_cast<double>(slices(choice.id)));
    }
    planned.call = std::move(call);
    return planned;
  }
  throw harness::Unsupported("cuDNN offers no " + std::string(variant.algorithm));
}

std::vector<nvidia::TensorFormat> results_of(const GraphCall& call) {
  std::vector<nvidia::TensorFormat> results{call.output};
  for (const GraphCall::Own& further : call.further_results) results.push_back(further.format);
  return results;
}

class GraphPrimitive final : public SeveralResults {
 public:
  GraphPrimitive(Library& library, const harness::Variant& variant, Planned planned,
                 std::int64_t bytes)
      : SeveralResults(library, variant, planned.call.inputs, results_of(planned.call), bytes),
        operand_deviation_(planned.call.operand_deviation),
        result_deviation_(planned.call.result_deviation),
        scalars_(std::move(planned.scalars)),
        known_(std::move(planned.known)),
        plan_(*planned.plan),
        tensor_cores_(planned.tensor_cores),
        rounding_amplification_(planned.transforms ? planned.call.transform_amplification : 1),
        partial_sums_(planned.partial_sums),
        pack_(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR) {
    std::vector<std::int64_t> ids = planned.call.bound;
    std::vector<void*> places;
    for (std::size_t index = 0; index + 1 < ids.size(); ++index) places.push_back(input(index));
    places.push_back(output());
    for (const GraphCall::Part& part : planned.call.parts) {
      const std::vector<nvidia::TensorFormat>& formats = planned.call.inputs;
      const bool of_result = part.operand == formats.size();
      const Precision precision =
          (of_result ? planned.call.output : formats[part.operand]).precision;
      void* start = of_result ? output() : input(part.operand);
      ids.push_back(part.id);
      places.push_back(static_cast<std::byte*>(start) + part.offset * element_bytes(precision));
    }
    for (std::size_t index = 0; index < planned.call.further_results.size(); ++index) {
      ids.push_back(planned.call.further_results[index].id);
      places.push_back(result(index + 1));
    }
    for (const GraphCall::Own& ignored : planned.call.ignored_results) {
      ids.push_back(ignored.id);
      places.push_back(ignored_.emplace_back(nvidia::span_bytes(ignored.format)).data());
    }
    for (auto& scalar : scalars_) {
      ids.push_back(scalar.id);
      places.push_back(&scalar.value);
    }
    for (const auto& constant : planned.constants) {
      nvidia::DeviceMemory& memory = constants_.emplace_back(nvidia::span_bytes(constant.format));
      const auto count = static_cast<std::size_t>(element_count(constant.format.dims));
      memory.write(nvidia::to_storage(std::vector<float>(count, constant.value), constant.format),
                   stream());
      ids.push_back(constant.id);
      places.push_back(memory.data());
    }
    for (std::int64_t& id : ids) id = OperationGraph::unique_id(id);
    pack_.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids);
    pack_.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR,
              static_cast<std::int64_t>(places.size()), places.data());
    void* scratch = workspace();
    pack_.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, scratch);
    pack_.finalize();
  }

  void upload(std::size_t index, std::span<const float> values) override {
    if (!operand_deviation_ || index != operand_deviation_->index) {
      return SeveralResults::upload(index, values);
    }
    SeveralResults::upload(index, inverse_deviations(values, operand_deviation_->epsilon));
  }

  void run() override { BENANZA_CUDNN(cudnnBackendExecute, handle(), plan_.get(), pack_.get()); }

  double rounding_amplification() const override { return rounding_amplification_; }
  double partial_sums() const override { return partial_sums_; }

 protected:
  Facts library_facts() override { return {{"tensor_core_claimed", tensor_cores_}}; }

  float told(std::size_t index, float stored) const override {
    if (!result_deviation_ || index != result_deviation_->index) return stored;
    return variance_of(stored, result_deviation_->epsilon);
  }

 private:
  std::optional<GraphCall::InverseDeviation> operand_deviation_;
  std::optional<GraphCall::InverseDeviation> result_deviation_;
  std::vector<OperationGraph::Scalar> scalars_;
  std::shared_ptr<KnownGraph> known_;
  const Descriptor& plan_;
  bool tensor_cores_;
  double rounding_amplification_;
  double partial_sums_;
  Descriptor pack_;
  std::vector<nvidia::DeviceMemory> constants_;
  std::vector<nvidia::DeviceMemory> ignored_;
};

}  // namespace

bool is_engine(const harness::Algorithm& algorithm) {
  return algorithm.find("engine") != algorithm.npos;
}

bool is_call(const harness::Algorithm& algorithm) { return !is_engine(algorithm); }

std::vector<harness::Algorithm> graph_algorithms(GraphCalls calls,
                                                 const harness::Variant& prototype,
                                                 harness::AlgorithmSet set, GraphPlans& plans) {
  if (calls.empty()) throw harness::Unsupported("cuDNN has no graph for this");
  EngineNames found{.graph = calls.front().graph.signature()};
  if (const EngineNames* const known = plans.answer(prototype, set, found.graph)) {
    if (known->names.empty()) throw harness::Unsupported(known->refusal);
    return known->names;
  }
  for (GraphCall& call : calls) {
    try {
      const EngineQuery query = query_of(call, prototype, set);
      for (const EngineChoice& choice : plans.known(std::move(call.graph), query)->choices) {
        if (!is_wrong(call, choice)) found.names.push_back(engine_name(call, choice));
      }
    } catch (const harness::Unsupported& refusal) {
      if (found.refusal.empty()) found.refusal = refusal.what();
    }
  }
  if (found.names.empty() && found.refusal.empty()) found.refusal = "cuDNN has no graph for this";
  plans.remember(found);
  if (found.names.empty()) throw harness::Unsupported(found.refusal);
  return found.names;
}

std::int64_t graph_workspace(GraphCalls calls, const harness::Variant& variant, GraphPlans& plans) {
  return plan_of(std::move(calls), variant, plans)
      .plan->number(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
}

void expect_graph_primitive(Library& library, GraphCalls calls, const harness::Variant& variant) {
  GraphPlans& plans = library.graph_plans();
  for (GraphCall& call : calls) {
    if (!is_of(call, variant.algorithm)) continue;
    const auto known = plans.known(std::move(call.graph), by_name);
    plans.expect(known, plans.choice(*known, variant.algorithm.substr(call.prefix.size())),
                 variant);
    return;
  }
}

std::unique_ptr<harness::Primitive> make_graph_primitive(Library& library, GraphCalls calls,
                                                         const harness::Variant& variant) {
  Planned planned = plan_of(std::move(calls), variant, library.graph_plans());
  const std::int64_t bytes = planned.plan->number(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
  library.check_workspace(bytes);
  return std::make_unique<GraphPrimitive>(library, variant, std::move(planned), bytes);
}

}  // namespace benanza::cudnn
