#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "suites/cudnn/graph/graph.h"
#include "suites/cudnn/graph/plans.h"
#include "suites/cudnn/primitive/library.h"
#include "suites/harness/solver.h"

namespace benanza::cudnn {

/// A problem as several graphs, computed one after the other, with memory between them.
struct CallSequence {
  /// Distinguishes it from the problem's other sequences.
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
  struct Call {
    OperationGraph graph;
    std::vector<Tensor> tensors;
  };
  /// At least two.
  std::vector<Call> calls;

  std::size_t result() const { return inputs.size(); }
  std::size_t intermediate(std::size_t index) const { return inputs.size() + 1 + index; }
};
/// Their makers throw Unsupported if there is none for the variant.
using CallSequences = std::vector<CallSequence>;

/// Whether an algorithm names several engines: "rows256.engine1.k24=37_engine1.k24=35".
bool is_sequence(const harness::Algorithm& algorithm);

/// Returns one name per sequence: the engines that the library lists first for its graphs. The
/// target of `plans` need not be a GPU.
std::vector<harness::Algorithm> sequence_algorithms(CallSequences sequences,
                                                    const harness::Variant& prototype,
                                                    harness::AlgorithmSet set, GraphPlans& plans);

/// Announces a later make_sequence_primitive() call: starts building the plans of all its calls.
/// The builder is told the variant with the number of the call behind its algorithm's name, and
/// builds that one plan if this is called with such a name.
void expect_sequence(CallSequences sequences, const harness::Variant& variant, GraphPlans& plans);

std::unique_ptr<harness::Primitive> make_sequence_primitive(Library& library,
                                                            CallSequences sequences,
                                                            const harness::Variant& variant);

/// A solver whose algorithms are sequences of engines.
template <class Shape>
harness::Solver<Library, Shape> sequence_solver(
    std::function<std::vector<Layout>(const Shape&)> layouts,
    std::vector<CallSequence> (*sequences)(const Shape&, const harness::Variant&)) {
  return {.layouts = std::move(layouts),
          .algorithms =
              [sequences](Library& library, const Shape& shape, const harness::Variant& prototype,
                          harness::AlgorithmSet set) {
                CallSequences calls = sequences(shape, prototype);  // may throw; needs no GPU
                return sequence_algorithms(std::move(calls), prototype, set, library.graph_plans());
              },
          .create =
              [sequences](Library& library, const Shape& shape, const harness::Variant& variant) {
                return make_sequence_primitive(library, sequences(shape, variant), variant);
              },
          .owns = is_sequence,
          .expect =
              [sequences](Library& library, const Shape& shape, const harness::Variant& variant) {
                expect_sequence(sequences(shape, variant), variant, library.graph_plans());
              }};
}

}  // namespace benanza::cudnn
