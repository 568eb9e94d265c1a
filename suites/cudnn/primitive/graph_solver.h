#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "suites/cudnn/graph/graph.h"
#include "suites/cudnn/graph/plans.h"
#include "suites/cudnn/solvers.h"

namespace benanza::cudnn {

/// A problem as a graph of operations. `bound` are the tensors of the operands in their order, then
/// that of the result; `inputs` and `output` say how they lie.
struct GraphCall {
  /// Sets the engines apart from those of the problem's other graphs.
  std::string prefix;
  std::vector<TensorFormat> inputs;
  TensorFormat output;
  std::vector<OperationGraph::Id> bound;
  OperationGraph graph;
  /// Engines that are offered and compute something else.
  std::vector<std::int64_t> wrong_engines;
};

/// The graphs worth asking for, the most natural first, not finished. Throws Unsupported if there
/// is none for the variant.
using GraphCalls = std::function<std::vector<GraphCall>(const Variant&)>;

/// The engines that the library offers for a problem's graphs are its algorithms: "engine5", or
/// "unified.engine5" with a prefix.
std::unique_ptr<Solver> graph_solver(std::vector<Layout> layouts, GraphCalls calls);

/// Both solvers' algorithms, those of `graph` after the call's. `call` is asked only in its own
/// layouts; its refusal counts where neither has an algorithm.
std::unique_ptr<Solver> call_or_graph(std::unique_ptr<Solver> call, std::unique_ptr<Solver> graph);

/// The engines' names, for plans whose target need not be a GPU; as graph_solver()'s algorithms.
std::vector<Algorithm> graph_algorithms(const GraphCalls& calls, const Variant& variant,
                                        GraphPlans& plans);

/// As the algorithm's solver would: builds the plan. Returns the bytes of its workspace.
std::int64_t graph_workspace(const GraphCalls& calls, const Variant& variant, GraphPlans& plans);

GraphCalls normalization_graphs(const LayerNormalization& shape);
GraphCalls normalization_graphs(const InstanceNormalization& shape);
GraphCalls attention_graphs(const Attention& shape);
GraphCalls activation_graphs(const Activation& shape);
GraphCalls binary_graphs(const Binary& shape);

}  // namespace benanza::cudnn
