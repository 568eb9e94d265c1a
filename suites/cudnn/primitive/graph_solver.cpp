#include "suites/cudnn/primitive/graph_solver.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "suites/cudnn/primitive/call_sequence.h"
#include "suites/cudnn/primitive/execution.h"
#include "suites/cudnn/primitive/several_results.h"
#include "suites/nvidia/device/device_memory.h"

namespace benanza::cudnn {
namespace {

/// Products have many configs, with very different times. For 143 convolutions on an H100 (sum of
/// the GPU times of the best calls), the first 8 configs lose 0.04% against the first 16, the
/// first 4 lose 0.10%, the first one 2.0%. Other graphs have few configs, all
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
  bool transforms = false;
  double partial_sums = harness::Primitive::few_partial_sums;
  PlannedGraph graph;
};

bool is_wrong(const GraphCall& call, const EngineChoice& choice) {
  return std::ranges::find(call.wrong_engines, choice.id.engine) != call.wrong_engines.end();
}

Planned plan_of(GraphCalls calls, const harness::Variant& variant, GraphPlans& plans) {
  for (GraphCall& call : calls) {
    if (!is_of(call, variant.algorithm)) continue;
    Planned planned;
    planned.graph =
        plan_named(std::move(call.graph), variant.algorithm.substr(call.prefix.size()), plans);
    const EngineChoice& choice = *planned.graph.choice;
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
        tensor_cores_(planned.graph.choice->tensor_cores),
        rounding_amplification_(planned.transforms ? planned.call.transform_amplification : 1),
        partial_sums_(planned.partial_sums),
        execution_(std::move(planned.graph), bindings(planned.call), workspace(), stream()) {}

  void upload(std::size_t index, std::span<const float> values) override {
    if (!operand_deviation_ || index != operand_deviation_->index) {
      return SeveralResults::upload(index, values);
    }
    SeveralResults::upload(index, inverse_deviations(values, operand_deviation_->epsilon));
  }

  void run() override { execution_.run(handle()); }

  double rounding_amplification() const override { return rounding_amplification_; }
  double partial_sums() const override { return partial_sums_; }

 protected:
  Facts library_facts() override { return {{"tensor_core_claimed", tensor_cores_}}; }

  float told(std::size_t index, float stored) const override {
    if (!result_deviation_ || index != result_deviation_->index) return stored;
    return variance_of(stored, result_deviation_->epsilon);
  }

 private:
  /// Allocates the memory of ignored results.
  std::vector<Execution::Binding> bindings(const GraphCall& call) {
    std::vector<Execution::Binding> found;
    const std::size_t operands = call.bound.size() - 1;
    for (std::size_t index = 0; index < operands; ++index) {
      found.push_back({call.bound[index], input(index)});
    }
    found.push_back({call.bound.back(), output()});
    for (const GraphCall::Part& part : call.parts) {
      const bool of_result = part.operand == call.inputs.size();
      const Precision precision = (of_result ? call.output : call.inputs[part.operand]).precision;
      std::byte* start = of_result ? output() : input(part.operand);
      found.push_back({part.id, start + part.offset * element_bytes(precision)});
    }
    for (std::size_t index = 0; index < call.further_results.size(); ++index) {
      found.push_back({call.further_results[index].id, result(index + 1)});
    }
    for (const GraphCall::Own& ignored : call.ignored_results) {
      found.push_back(
          {ignored.id, ignored_.emplace_back(nvidia::span_bytes(ignored.format)).data()});
    }
    return found;
  }

  std::optional<GraphCall::InverseDeviation> operand_deviation_;
  std::optional<GraphCall::InverseDeviation> result_deviation_;
  bool tensor_cores_;
  double rounding_amplification_;
  double partial_sums_;
  std::vector<nvidia::DeviceMemory> ignored_;
  Execution execution_;
};

}  // namespace

bool is_engine(const harness::Algorithm& algorithm) {
  return algorithm.find("engine") != algorithm.npos && !is_sequence(algorithm);
}

bool is_call(const harness::Algorithm& algorithm) {
  return algorithm.find("engine") == algorithm.npos;
}

std::vector<harness::Algorithm> graph_algorithms(GraphCalls calls,
                                                 const harness::Variant& prototype,
                                                 harness::AlgorithmSet set, GraphPlans& plans) {
  if (calls.empty()) throw harness::Unsupported("cuDNN has no graph for this");
  return plans.names(prototype, set, calls.front().graph.signature(), [&](EngineNames& found) {
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
  });
}

std::int64_t graph_workspace(GraphCalls calls, const harness::Variant& variant, GraphPlans& plans) {
  return plan_of(std::move(calls), variant, plans).graph.workspace_bytes();
}

void expect_graph_primitive(Library& library, GraphCalls calls, const harness::Variant& variant) {
  GraphPlans& plans = library.graph_plans();
  for (GraphCall& call : calls) {
    if (!is_of(call, variant.algorithm)) continue;
    return expect_named(std::move(call.graph), variant.algorithm.substr(call.prefix.size()), plans,
                        variant, variant);
  }
}

std::unique_ptr<harness::Primitive> make_graph_primitive(Library& library, GraphCalls calls,
                                                         const harness::Variant& variant) {
  Planned planned = plan_of(std::move(calls), variant, library.graph_plans());
  const std::int64_t bytes = planned.graph.workspace_bytes();
  library.check_workspace(bytes);
  return std::make_unique<GraphPrimitive>(library, variant, std::move(planned), bytes);
}

}  // namespace benanza::cudnn
