#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/problem/ops/recurrent.h"
#include "suites/verify/operators.h"
#include "suites/verify/recurrent_cell.h"

namespace benanza::verify {

/// The offset of a step of a batch entry in the result.
std::int64_t result_begin(const Recurrent& shape, std::int64_t step, std::int64_t direction,
                          std::int64_t entry);

/// Multiplies `element` by an exact number; errors are multiplied by its magnitude.
Element multiplied(const Element& element, double by);

/// An element of weights, recurrence or bias: its cell, row and column.
struct WeightPlace {
  std::size_t sample = 0;
  std::size_t operand = 0;
  std::int64_t cell = 0;
  std::int64_t row = 0;
  /// For a bias: 0 for the input's, 1 for the state's.
  std::int64_t column = 0;
};

/// An element of a sequence's input.
struct InputPlace {
  std::size_t sequence = 0;
  std::int64_t step = 0;
  std::int64_t column = 0;
};

/// A sum of products; squares of errors add.
struct Sum {
  void add(const Element& term) {
    value += term.value;
    magnitude += std::abs(term.value);
    error += term.magnitude * term.magnitude;
    carried += term.carried * term.carried;
  }
  Element element() const { return {value, magnitude + std::sqrt(error), std::sqrt(carried)}; }
  double value = 0;
  double magnitude = 0;
  double error = 0;
  double carried = 0;
};

/// The gradients of some sequences: of their initial states, and of the requested elements of
/// inputs and weights.
class WayBack {
 public:
  /// Computes them for these entries of the batch. All arguments must outlive the object.
  WayBack(const Recurrent& shape, Operands operands, const std::vector<std::int64_t>& entries,
          const std::vector<WeightPlace>& weights, const std::vector<InputPlace>& inputs);

  /// The gradient of `inputs[index]`.
  const Element& input(std::size_t index) const { return input_gradients_[index]; }
  /// The gradient of the initial state of (layer, direction).
  const Vector& h(std::size_t sequence, std::size_t cell) const { return ways_[sequence].h[cell]; }
  const Vector& c(std::size_t sequence, std::size_t cell) const { return ways_[sequence].c[cell]; }
  /// The gradient of `weights[index]`.
  Element weight(std::size_t sequence, std::size_t index) const {
    return ways_[sequence].sums[index].element();
  }

 private:
  /// The state of one sequence.
  struct Way {
    std::int64_t entry = 0;
    std::vector<Sum> sums{};
    /// The results of every layer, by step.
    std::vector<std::vector<Vector>> results{};
    /// The steps of every cell, in the order in which it takes them.
    std::vector<std::vector<CellStep>> steps{};
    /// The gradient of the result of the layer that is next in the backward pass, by step.
    std::vector<Vector> gradient{};
    std::vector<Vector> h{};
    std::vector<Vector> c{};
  };

  void go_forward();
  void go_back();
  void go_back(std::int64_t layer, std::int64_t direction, std::vector<std::vector<Vector>>& below);
  /// The gradient of a last state: of h if `which` is 0, of c if 1.
  Vector last_gradient(const Way& way, std::size_t which, std::int64_t cell) const;
  /// Adds the gradients of the results of the layer below.
  void add_below(std::int64_t step, const Cell& cell, const std::vector<GateGradients>& gates,
                 std::vector<std::vector<Vector>>& below) const;
  void add_inputs(std::int64_t step, const Cell& cell, const std::vector<GateGradients>& gates);
  void add_weights(Way& way, std::int64_t cell, std::int64_t step, const CellStep& taken,
                   const GateGradients& gates) const;
  /// The input that this column of `layer`'s weights is multiplied by at a step.
  Element met_input(const Way& way, std::int64_t layer, std::int64_t step,
                    std::size_t column) const;

  const Recurrent& shape_;
  Operands operands_;
  const std::vector<std::int64_t>& entries_;
  const std::vector<WeightPlace>& weights_;
  const std::vector<InputPlace>& inputs_;
  Team team_;
  std::vector<Element> input_gradients_;
  std::vector<Cell> cells_;
  std::vector<Way> ways_;
};

}  // namespace benanza::verify
