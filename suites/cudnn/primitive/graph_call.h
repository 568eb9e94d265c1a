#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "suites/cudnn/graph/graph.h"
#include "suites/cudnn/graph/plans.h"
#include "suites/cudnn/primitive/call.h"
#include "suites/cudnn/primitive/library.h"
#include "suites/nvidia/run/primitive.h"

namespace benanza::cudnn {

/// A problem as an operation graph, or as several that are computed one after the other, with
/// memory between them.
struct GraphCall {
  /// Distinguishes its engines from those of the problem's other graphs.
  std::string prefix;
  std::vector<nvidia::TensorFormat> inputs;
  nvidia::TensorFormat output;
  std::vector<nvidia::TensorFormat> intermediates;
  /// A tensor of a graph, from an element of an operand, of the result, or of an intermediate.
  struct Tensor {
    OperationGraph::Id id = 0;
    /// The number of the operand; then come the result and the intermediates.
    std::size_t memory = 0;
    /// In elements.
    std::int64_t offset = 0;
  };
  struct Stage {
    OperationGraph graph;
    std::vector<Tensor> tensors;
  };
  std::vector<Stage> stages = std::vector<Stage>(1);
  /// Of the first graph: the tensors of the operands in order, then the result's. Empty if the
  /// stages list all tensors.
  std::vector<OperationGraph::Id> bound;
  /// A tensor of the first graph with its own memory.
  struct Own {
    OperationGraph::Id id = 0;
    nvidia::TensorFormat format;
  };
  /// The problem's results after the first.
  std::vector<Own> further_results;
  /// Results that are not part of the problem.
  std::vector<Own> ignored_results;
  std::vector<nvidia::Encoded> encoded;
  std::optional<InverseDeviation> operand_deviation;
  std::optional<InverseDeviation> result_deviation;
  /// Its operands and result may have the variant's strides (Traits::strided_axes).
  int strided_axes = 0;
  /// The listed configs fail to compile, but the same engines with default knobs compile.
  bool needs_defaults = false;
  /// Engines that are offered but compute wrong results.
  std::vector<std::int64_t> wrong_engines;
  /// Engines that multiply transforms of their operands although their notes do not say so.
  std::vector<std::int64_t> silent_transforms;
  /// The slices of a sum (slices()) are added in the type of the result.
  bool adds_slices = false;
  /// Traits::rounding_amplification of engines that multiply transforms.
  double transform_amplification = 1;

  OperationGraph& graph() { return stages.front().graph; }
  const OperationGraph& graph() const { return stages.front().graph; }
  /// The memory of the result, and of an intermediate.
  std::size_t result() const { return inputs.size(); }
  std::size_t intermediate(std::size_t index) const { return inputs.size() + 1 + index; }
};

/// The graphs of a problem, not finished, the most natural first. Their makers throw Unsupported if
/// there is none for the variant.
using GraphCalls = std::vector<GraphCall>;

/// Returns the engines' names, "engine5.k2=3" or, with a prefix, "unified.engine5"; the target of
/// `plans` need not be a GPU. best, leading and all: those listed by the heuristics, in order, up
/// to a limit. with_reference: every engine. Of a call of several graphs, the engines that the
/// library lists first for each: "rows256.engine1.k24=37_engine1.k24=35".
std::vector<harness::Algorithm> graph_algorithms(GraphCalls calls,
                                                 const harness::Variant& prototype,
                                                 harness::AlgorithmSet set, GraphPlans& plans);

/// Builds the plans, as make() of the way would, and returns their workspace size in bytes.
std::int64_t graph_workspace(GraphCalls calls, const harness::Variant& variant, GraphPlans& plans);

/// What an engine of the call does; of several graphs, nothing special. `engine`: its name without
/// the call's prefix.
harness::Traits traits_of(const GraphCall& call, std::string_view engine);

/// Makes the calls again: graphs cannot be copied.
using MakeGraphs = std::function<GraphCalls(const harness::Variant&)>;
/// The ways of graph_algorithms(). Their prefetch starts building the plans of engines that are
/// compiled at run time in child processes. The builder is told the variant; of several graphs,
/// with the number of the graph behind its algorithm's name, and builds that one plan if it asks
/// for such a way.
std::vector<harness::Way> graph_ways(Library& library, const MakeGraphs& graphs,
                                     const harness::Variant& prototype, harness::AlgorithmSet set);
/// nullopt if the variant names no engine of these graphs. Needs no GPU.
std::optional<harness::Way> graph_way(Library& library, const MakeGraphs& graphs,
                                      const harness::Variant& variant);

/// Whether the problem's steps are part of the graphs.
enum class Steps { refused, in_graph };

/// The engines that the library offers for a problem's graphs. They can be listed only if there is
/// a GPU.
template <class Shape>
harness::Family<Library, Shape> engines_of(
    std::function<std::vector<Layout>(const Shape&)> layouts,
    std::vector<GraphCall> (*graphs)(const Shape&, const harness::Variant&),
    Steps steps = Steps::refused) {
  const auto of = [graphs](const Shape& shape) -> MakeGraphs {
    return [graphs, shape](const harness::Variant& variant) { return graphs(shape, variant); };
  };
  return {.layouts = std::move(layouts),
          .ways =
              [of](Library& library, const Shape& shape, const harness::Variant& prototype,
                   harness::AlgorithmSet set) {
                return graph_ways(library, of(shape), prototype, set);
              },
          .way =
              [of](Library& library, const Shape& shape, const harness::Variant& variant) {
                return graph_way(library, of(shape), variant);
              },
          .handles_steps = steps == Steps::in_graph};
}

}  // namespace benanza::cudnn
