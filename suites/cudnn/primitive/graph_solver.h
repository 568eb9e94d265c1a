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

/// A problem as an operation graph. `bound` lists the tensors of the operands in order, then the
/// result's; `inputs` and `output` are their formats.
struct GraphCall {
  /// Distinguishes its engines from those of the problem's other graphs.
  std::string prefix;
  std::vector<nvidia::TensorFormat> inputs;
  nvidia::TensorFormat output;
  std::vector<OperationGraph::Id> bound;
  /// A tensor that starts inside an operand or, if `operand` equals the number of inputs, inside
  /// the result.
  struct Part {
    OperationGraph::Id id = 0;
    std::size_t operand = 0;
    /// In elements.
    std::int64_t offset = 0;
  };
  std::vector<Part> parts;
  /// A tensor with its own memory.
  struct Own {
    OperationGraph::Id id = 0;
    nvidia::TensorFormat format;
  };
  /// The problem's results after the first.
  std::vector<Own> further_results;
  /// Results that are not part of the problem.
  std::vector<Own> ignored_results;
  struct InverseDeviation {
    /// The index of the operand or of the result.
    std::size_t index = 0;
    float epsilon = 0;
  };
  /// An operand, and a result, that is a variance in the problem and 1 / sqrt(variance + epsilon)
  /// in the library.
  std::optional<InverseDeviation> operand_deviation;
  std::optional<InverseDeviation> result_deviation;
  OperationGraph graph;
  /// The listed configs fail to compile, but the same engines with default knobs compile.
  bool needs_defaults = false;
  /// Engines that are offered but compute wrong results.
  std::vector<std::int64_t> wrong_engines;
  /// Engines that multiply transforms of their operands although their notes do not say so.
  std::vector<std::int64_t> silent_transforms;
  /// The slices of a sum (slices()) are added in the type of the result.
  bool adds_slices = false;
  /// Primitive::rounding_amplification() of engines that multiply transforms.
  double transform_amplification = 1;
};

/// The graphs of a problem, not finished, the most natural first. Their makers throw Unsupported if
/// there is none for the variant.
using GraphCalls = std::vector<GraphCall>;

/// Whether an algorithm is an engine of a graph ("engine5.k2=3" or, with a prefix,
/// "unified.engine5") or a call-per-layer function.
bool is_engine(const harness::Algorithm& algorithm);
bool is_call(const harness::Algorithm& algorithm);

/// Returns the engines' names; the target of `plans` need not be a GPU. best, leading and all:
/// those listed by the heuristics, in order, up to a limit. with_reference: every engine.
std::vector<harness::Algorithm> graph_algorithms(GraphCalls calls,
                                                 const harness::Variant& prototype,
                                                 harness::AlgorithmSet set, GraphPlans& plans);

/// Builds the plan, as the algorithm's solver would, and returns its workspace size in bytes.
std::int64_t graph_workspace(GraphCalls calls, const harness::Variant& variant, GraphPlans& plans);

/// Announces a later make_graph_primitive() call: an engine that is compiled at run time starts
/// compiling in a child process.
void expect_graph_primitive(Library& library, GraphCalls calls, const harness::Variant& variant);

std::unique_ptr<harness::Primitive> make_graph_primitive(Library& library, GraphCalls calls,
                                                         const harness::Variant& variant);

/// A solver whose algorithms are the engines that the library offers for a problem's graphs. They
/// can be listed only if there is a GPU.
template <class Shape>
harness::Solver<Library, Shape> graph_solver(
    std::function<std::vector<Layout>(const Shape&)> layouts,
    std::vector<GraphCall> (*graphs)(const Shape&, const harness::Variant&)) {
  return {.layouts = std::move(layouts),
          .algorithms =
              [graphs](Library& library, const Shape& shape, const harness::Variant& prototype,
                       harness::AlgorithmSet set) {
                GraphCalls calls = graphs(shape, prototype);  // may throw; needs no GPU
                return graph_algorithms(std::move(calls), prototype, set, library.graph_plans());
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

/// The same for graphs that include the problem's steps.
template <class Shape>
harness::Solver<Library, Shape> region_solver(
    std::function<std::vector<Layout>(const Shape&)> layouts,
    std::vector<GraphCall> (*graphs)(const Shape&, const harness::Variant&)) {
  auto solver = graph_solver(std::move(layouts), graphs);
  solver.handles_steps = true;
  return solver;
}

}  // namespace benanza::cudnn
