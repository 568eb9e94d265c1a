#include "suites/cudnn/primitive/graph_call.h"

#include <algorithm>
#include <charconv>

#include "core/problem/name.h"
#include "suites/cudnn/primitive/call.h"
#include "suites/cudnn/primitive/execution.h"
#include "suites/nvidia/device/device_memory.h"

namespace benanza::cudnn {
namespace {

/// Behind the names of several engines, the number of the one graph whose plan is to be built: a
/// process that builds plans sends one for each request.
constexpr std::string_view only = ".only";

/// Products have many configs, with very different times. For 143 convolutions on an H100 (sum of
/// the GPU times of the best calls), the first 8 configs lose 0.04% against the first 16, the
/// first 4 lose 0.10%, the first one 2.0%. Other graphs have few configs, all
/// compiled at run time; for elementwise functions all configs are equally fast.
EngineQuery query_of(const GraphCall& call, const harness::Variant& variant,
                     harness::AlgorithmSet set) {
  const OperationGraph& graph = call.graph();
  EngineQuery query{.per_engine = 1, .leading = 1, .most = 3, .most_compiled = 3};
  if (graph.is_elementwise()) query.most = 1;
  query.defaults = call.needs_defaults;
  if (graph.has_products()) {
    query = {.per_engine = 2, .leading = 4, .most = 8, .most_compiled = 4};
    // Graphs other than the library's own form of the problem only have compiled engines.
    if (!call.prefix.empty()) query.most = query.most_compiled;
    if (variant.precision == Precision::fp32) query.arithmetic = Arithmetic::no_tensor_cores;
    if (variant.precision == Precision::tf32) query.arithmetic = Arithmetic::full_inputs;
  }
  if (set == harness::AlgorithmSet::leading) {
    query.most = query.most_compiled = graph.has_products() && call.prefix.empty() ? 2 : 1;
  }
  constexpr std::size_t all = 1000;
  if (set == harness::AlgorithmSet::with_reference ||
      (set == harness::AlgorithmSet::search && graph.has_products())) {
    query.per_engine = query.most = query.most_compiled = all;
    query.every_engine = true;
  } else if (set == harness::AlgorithmSet::search && !graph.is_elementwise()) {
    // All configs that are listed: the other engines are refused or far behind.
    query.per_engine = query.most = query.most_compiled = all;
  }
  return query;
}

/// The names of the engines, one for each graph, if they are what follows the call's prefix: "max."
/// does not match "maximum.engine5".
std::optional<std::vector<std::string>> engines_named(const GraphCall& call,
                                                      std::string_view algorithm) {
  if (!algorithm.starts_with(call.prefix)) return std::nullopt;
  algorithm.remove_prefix(call.prefix.size());
  std::vector<std::string> names;
  for (;;) {
    const std::size_t end = algorithm.find(next_engine);
    names.emplace_back(algorithm.substr(0, end));
    if (!parse_engine_name(names.back())) return std::nullopt;
    if (end == algorithm.npos) break;
    algorithm.remove_prefix(end + 1);
  }
  if (names.size() != call.stages.size()) return std::nullopt;
  return names;
}

bool contains(const std::vector<std::int64_t>& engines, std::int64_t engine) {
  return std::ranges::find(engines, engine) != engines.end();
}

/// What a name names among calls.
struct Match {
  std::size_t call = 0;
  std::vector<std::string> engines;
  /// The only graph that matters.
  std::optional<std::size_t> only;
};

std::optional<Match> match(const GraphCalls& calls, std::string_view name) {
  Match found;
  if (const std::size_t at = name.rfind(only); at != name.npos) {
    const std::string_view number = name.substr(at + only.size());
    std::from_chars(number.data(), number.data() + number.size(), found.only.emplace());
    name = name.substr(0, at);
  }
  for (found.call = 0; found.call < calls.size(); ++found.call) {
    if (auto engines = engines_named(calls[found.call], name)) {
      found.engines = *std::move(engines);
      return found;
    }
  }
  return std::nullopt;
}

/// A variant's call, and its engines.
struct Named {
  GraphCall call;
  std::vector<std::string> engines;
  std::optional<std::size_t> only;
};

/// Throws Unsupported if the variant names no engine of these.
Named named(GraphCalls calls, const harness::Variant& variant) {
  auto found = match(calls, variant.algorithm);
  if (!found) throw harness::Unsupported("cuDNN offers no " + variant.algorithm);
  return {std::move(calls[found->call]), std::move(found->engines), found->only};
}

std::vector<PlannedGraph> plans_of(Named& named, GraphPlans& plans) {
  std::vector<PlannedGraph> planned;
  for (std::size_t stage = 0; stage < named.engines.size(); ++stage) {
    planned.push_back(
        plan_named(std::move(named.call.stages[stage].graph), named.engines[stage], plans));
  }
  return planned;
}

std::int64_t workspace_of(const std::vector<PlannedGraph>& planned) {
  std::int64_t bytes = 0;
  for (const PlannedGraph& one : planned) bytes = std::max(bytes, one.workspace_bytes());
  return bytes;
}

/// The graphs' executions, and the memory of what is neither operand nor result of the problem.
class GraphRun {
 public:
  GraphRun(GraphCall call, std::vector<PlannedGraph> planned)
      : call_(std::move(call)), planned_(std::move(planned)) {}

  void placed(const CudnnPrimitive& primitive) {
    for (const nvidia::TensorFormat& format : call_.intermediates) {
      intermediates_.emplace_back(nvidia::span_bytes(format));
    }
    for (std::size_t stage = 0; stage < planned_.size(); ++stage) {
      std::vector<Execution::Binding> tensors;
      if (stage == 0) bind_first(primitive, tensors);
      for (const GraphCall::Tensor& tensor : call_.stages[stage].tensors) {
        tensors.push_back({tensor.id, address(primitive, tensor)});
      }
      executions_.emplace_back(std::move(planned_[stage]), tensors, primitive.workspace(),
                               primitive.stream());
    }
  }

  void operator()(const CudnnPrimitive& primitive) const {
    for (const Execution& execution : executions_) execution.run(primitive.handle());
  }

 private:
  void bind_first(const CudnnPrimitive& primitive, std::vector<Execution::Binding>& tensors) {
    for (std::size_t index = 0; index < call_.bound.size(); ++index) {
      const bool is_result = index + 1 == call_.bound.size();
      tensors.push_back(
          {call_.bound[index], is_result ? primitive.output() : primitive.input(index)});
    }
    for (std::size_t index = 0; index < call_.further_results.size(); ++index) {
      tensors.push_back({call_.further_results[index].id, primitive.result(index + 1)});
    }
    for (const GraphCall::Own& ignored : call_.ignored_results) {
      tensors.push_back(
          {ignored.id, ignored_.emplace_back(nvidia::span_bytes(ignored.format)).data()});
    }
  }

  std::byte* address(const CudnnPrimitive& primitive, const GraphCall::Tensor& tensor) const {
    const auto at = [&](std::byte* start, const nvidia::TensorFormat& format) {
      return start + tensor.offset * element_bytes(format.precision);
    };
    if (tensor.memory < call_.result()) {
      return at(primitive.input(tensor.memory), call_.inputs[tensor.memory]);
    }
    if (tensor.memory == call_.result()) return at(primitive.output(), call_.output);
    const std::size_t index = tensor.memory - call_.intermediate(0);
    return at(intermediates_.at(index).data(), call_.intermediates[index]);
  }

  GraphCall call_;
  std::vector<PlannedGraph> planned_;
  std::vector<nvidia::DeviceMemory> intermediates_;
  std::vector<nvidia::DeviceMemory> ignored_;
  std::vector<Execution> executions_;
};

std::unique_ptr<harness::Primitive> make(const Request& request, const MakeGraphs& graphs) {
  Named found = named(graphs(request.variant), request.variant);
  std::vector<PlannedGraph> planned = plans_of(found, request.library.graph_plans());
  const GraphCall& call = found.call;
  nvidia::CallSetup setup{
      .inputs = call.inputs, .results = {call.output}, .workspace_bytes = workspace_of(planned)};
  request.library.check_workspace(setup.workspace_bytes);
  for (const GraphCall::Own& further : call.further_results) {
    setup.results.push_back(further.format);
  }
  if (planned.size() == 1) {
    setup.facts = {{"tensor_core_claimed", planned.front().choice->tensor_cores}};
  }
  setup.encoded = call.encoded;
  if (call.operand_deviation) {
    setup.to_library_value = {call.operand_deviation->to_library_value()};
  }
  if (call.result_deviation) {
    setup.to_problem_value = {call.result_deviation->to_problem_value()};
  }
  return call_of(request, std::move(setup), GraphRun(std::move(found.call), std::move(planned)),
                 Interface::graphs);
}

void prefetch(Library& library, GraphCalls calls, const harness::Variant& variant) {
  Named found = named(std::move(calls), variant);
  for (std::size_t stage = 0; stage < found.engines.size(); ++stage) {
    if (found.only.value_or(stage) != stage) continue;
    harness::Variant request = variant;
    if (found.engines.size() > 1 && !found.only) {
      request.algorithm += std::string(only) + std::to_string(stage);
    }
    prefetch_named(std::move(found.call.stages[stage].graph), found.engines[stage],
                   library.graph_plans(), variant, request);
  }
}

/// The names of the engines near the variant's.
std::vector<harness::Algorithm> near(Library& library, const MakeGraphs& graphs,
                                     const harness::Variant& variant) {
  Named found = named(graphs(variant), variant);
  auto names =
      near_named(std::move(found.call.graph()), found.engines.front(), library.graph_plans());
  for (std::string& name : names) name.insert(0, found.call.prefix);
  return names;
}

/// nullopt if the name is none of an engine of `calls`, which `graphs` makes again.
std::optional<harness::Way> way_named(Library& library, const GraphCalls& calls,
                                      const MakeGraphs& graphs, const harness::Variant& prototype,
                                      const harness::Algorithm& name) {
  const auto found = match(calls, name);
  if (!found) return std::nullopt;
  harness::Variant variant = prototype;
  variant.algorithm = name;
  harness::Way way = nvidia::way_of(
      library, prototype, name, [graphs](const Request& request) { return make(request, graphs); },
      traits_of(calls[found->call], found->engines.front()));
  // All configs of elementwise functions are equally fast.
  const GraphCall& call = calls[found->call];
  if (call.stages.size() == 1 && !call.graph().is_elementwise()) {
    way.near = [&library, graphs, variant] { return near(library, graphs, variant); };
  }
  way.prefetch = [&library, graphs, variant = std::move(variant)] {
    prefetch(library, graphs(variant), variant);
  };
  return way;
}

/// One name: the engine that the library lists first for every graph. Throws Unsupported if a graph
/// has none.
std::string first_engines(GraphCall call, GraphPlans& plans) {
  constexpr EngineQuery first{.leading = 1, .most = 1, .most_compiled = 1};
  std::string names;
  for (GraphCall::Stage& stage : call.stages) {
    if (!names.empty()) names += '_';
    names += plans.known(std::move(stage.graph), first)->choices.front().name();
  }
  return call.prefix + names;
}

/// Distinguishes the graphs of one family from those of the problem's others.
std::string signature_of(const GraphCalls& calls) {
  if (calls.front().stages.size() == 1) return calls.front().graph().signature();
  std::string text = "sequences";
  for (const GraphCall& call : calls) {
    text += ' ' + call.prefix;
    for (const GraphCall::Stage& stage : call.stages) text += stage.graph.signature();
  }
  return text;
}

}  // namespace

std::vector<harness::Algorithm> graph_algorithms(GraphCalls calls,
                                                 const harness::Variant& prototype,
                                                 harness::AlgorithmSet set, GraphPlans& plans) {
  if (calls.empty()) throw harness::Unsupported("cuDNN has no graph for this");
  return plans.names(prototype, set, signature_of(calls), [&](EngineNames& found) {
    for (GraphCall& call : calls) {
      try {
        if (call.stages.size() > 1) {
          found.names.push_back(first_engines(std::move(call), plans));
          continue;
        }
        const EngineQuery query = query_of(call, prototype, set);
        for (const EngineChoice& choice : plans.known(std::move(call.graph()), query)->choices) {
          if (contains(call.wrong_engines, choice.id.engine)) continue;
          found.names.push_back(call.prefix + choice.name());
        }
      } catch (const harness::Unsupported& refusal) {
        if (found.refusal.empty()) found.refusal = refusal.what();
      }
    }
  });
}

std::int64_t graph_workspace(GraphCalls calls, const harness::Variant& variant, GraphPlans& plans) {
  Named found = named(std::move(calls), variant);
  return workspace_of(plans_of(found, plans));
}

harness::Traits traits_of(const GraphCall& call, std::string_view engine) {
  harness::Traits traits{.calls = call.stages.size(), .strided_axes = call.strided_axes};
  const auto name = parse_engine_name(engine);
  if (!name || call.stages.size() > 1) return traits;
  traits.transforms = !name->transform.empty();
  if (traits.transforms || contains(call.silent_transforms, name->id.engine)) {
    traits.rounding_amplification = call.transform_amplification;
  }
  if (call.adds_slices) {
    traits.partial_sums = std::max(traits.partial_sums, static_cast<double>(slices(name->id)));
  }
  return traits;
}

std::vector<harness::Way> graph_ways(Library& library, const MakeGraphs& graphs,
                                     const harness::Variant& prototype, harness::AlgorithmSet set) {
  const GraphCalls calls = graphs(prototype);  // may throw; needs no GPU
  std::vector<harness::Way> ways;
  for (const harness::Algorithm& name :
       graph_algorithms(graphs(prototype), prototype, set, library.graph_plans())) {
    if (auto way = way_named(library, calls, graphs, prototype, name)) {
      ways.push_back(*std::move(way));
    }
  }
  return ways;
}

std::optional<harness::Way> graph_way(Library& library, const MakeGraphs& graphs,
                                      const harness::Variant& variant) {
  // Functions have no engine, and graphs take time to state.
  if (variant.algorithm.find("engine") == variant.algorithm.npos) return std::nullopt;
  return way_named(library, graphs(variant), graphs, variant, variant.algorithm);
}

}  // namespace benanza::cudnn
