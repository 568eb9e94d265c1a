#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "suites/cudnn/graph/graph.h"
#include "suites/cudnn/graph/plans.h"
#include "suites/cudnn/primitive/library.h"
#include "suites/harness/solver.h"

namespace benanza::cudnn {

/// A problem as a graph of operations. `bound` are the tensors of the operands in their order, then
/// that of the result; `inputs` and `output` say how they lie.
struct GraphCall {
  /// Sets the engines apart from those of the problem's other graphs.
  std::string prefix;
  std::vector<nvidia::TensorFormat> inputs;
  nvidia::TensorFormat output;
  std::vector<OperationGraph::Id> bound;
  /// Tensors that begin inside an operand, or, with as many as there are inputs, inside the result.
  struct Part {
    OperationGraph::Id id = 0;
    std::size_t operand = 0;
    /// In elements.
    std::int64_t offset = 0;
  };
  std::vector<Part> parts;
  /// A tensor in memory of its own.
  struct Own {
    OperationGraph::Id id = 0;
    nvidia::TensorFormat format;
  };
  /// The problem's results behind the first.
  std::vector<Own> further_results;
  /// What the library writes and nobody asks for.
  std::vector<Own> ignored_results;
  /// An operand that is a variance and that the library wants as 1 / sqrt(variance + epsilon).
  struct InverseDeviation {
    std::size_t operand = 0;
    float epsilon = 0;
  };
  std::optional<InverseDeviation> inverse_deviation;
  OperationGraph graph;
  /// What the heuristics list cannot be compiled, but the same engines without settings can.
  bool needs_defaults = false;
  /// Engines that are offered and compute something else.
  std::vector<std::int64_t> wrong_engines;
  /// Primitive::rounding_amplification() of engines that multiply transforms.
  double transform_amplification = 1;
};

/// The graphs worth asking for, the most natural first, not finished. Throws Unsupported if there
/// is none for the variant.
using GraphCalls = std::vector<GraphCall>;

/// Whether an algorithm is an engine of a graph, "engine5.k2=3" or "unified.engine5" with a prefix,
/// or a call-per-layer function.
bool is_engine(const harness::Algorithm& algorithm);
bool is_call(const harness::Algorithm& algorithm);

/// The engines' names, for plans whose target need not be a GPU. best, leading, all:
/// those that the library's heuristics list, in their order, up to a limit. with_reference: every
/// engine.
std::vector<harness::Algorithm> graph_algorithms(GraphCalls calls,
                                                 const harness::Variant& prototype,
                                                 harness::AlgorithmSet set, GraphPlans& plans);

/// As the algorithm's solver would: builds the plan. Returns the bytes of its workspace.
std::int64_t graph_workspace(GraphCalls calls, const harness::Variant& variant, GraphPlans& plans);

/// make_graph_primitive() will be called for it: an engine that is compiled at run time is compiled
/// from now on, in another process.
void expect_graph_primitive(Library& library, GraphCalls calls, const harness::Variant& variant);

std::unique_ptr<harness::Primitive> make_graph_primitive(Library& library, GraphCalls calls,
                                                         const harness::Variant& variant);

/// The engines that the library offers for a problem's graphs are its algorithms. They are known
/// only where there is a GPU.
template <class Shape>
harness::Solver<Library, Shape> graph_solver(
    std::function<std::vector<Layout>(const Shape&)> layouts,
    std::vector<GraphCall> (*graphs)(const Shape&, const harness::Variant&)) {
  return {.layouts = std::move(layouts),
          .algorithms =
              [graphs](Library& library, const Shape& shape, const harness::Variant& prototype,
                       harness::AlgorithmSet set) {
                return graph_algorithms(graphs(shape, prototype), prototype, set,
                                        library.graph_plans());
              },
          .create =
              [graphs](Library& library, const Shape& shape, const harness::Variant& variant) {
                return make_graph_primitive(library, graphs(shape, variant), variant);
              },
          .owns = is_engine,
          .expect =
              [graphs](Library& library, const Shape& shape, const harness::Variant& variant) {
                expect_graph_primitive(library, graphs(shape, variant), variant);
              }};
}

/// The same for graphs that have the problem's steps.
template <class Shape>
harness::Solver<Library, Shape> region_solver(
    std::function<std::vector<Layout>(const Shape&)> layouts,
    std::vector<GraphCall> (*graphs)(const Shape&, const harness::Variant&)) {
  auto solver = graph_solver(std::move(layouts), graphs);
  solver.handles_steps = true;
  return solver;
}

}  // namespace benanza::cudnn
