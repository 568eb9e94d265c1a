#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/problem/ops/recurrent.h"
#include "suites/verify/operators.h"
#include "suites/verify/recurrent_cell.h"

namespace benanza::verify {

/// Where a step of a batch entry begins in the result.
std::int64_t result_begin(const Recurrent& shape, std::int64_t step, std::int64_t direction,
                          std::int64_t entry);

/// `element` times an exact number, whose sign errors do not have.
Element multiplied(const Element& element, double by);

/// An element of weights, recurrence or bias: which cell's, and its row and column.
struct WeightPlace {
  std::size_t sample = 0;
  std::size_t operand = 0;
  std::int64_t cell = 0;
  std::int64_t row = 0;
  /// Of a bias: 0 for the input's products, 1 for the state's.
  std::int64_t column = 0;
};

/// An element of the input of a sequence.
struct InputPlace {
  std::size_t sequence = 0;
  std::int64_t step = 0;
  std::int64_t column = 0;
};

/// A sum of products: squares of errors add.
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

/// Gradients of some sequences: of their initial states, and of the elements of inputs and weights
/// that are asked for.
class WayBack {
 public:
  /// Of these entries of the batch. Everything outlives it.
  WayBack(const Recurrent& shape, Operands operands, const std::vector<std::int64_t>& entries,
          const std::vector<WeightPlace>& weights, const std::vector<InputPlace>& inputs);

  /// Of `inputs[index]`.
  const Element& input(std::size_t index) const { return input_gradients_[index]; }
  /// Of the initial state of (layer, direction).
  const Vector& h(std::size_t sequence, std::size_t cell) const { return ways_[sequence].h[cell]; }
  const Vector& c(std::size_t sequence, std::size_t cell) const { return ways_[sequence].c[cell]; }
  /// Of `weights[index]`.
  Element weight(std::size_t sequence, std::size_t index) const {
    return ways_[sequence].sums[index].element();
  }

 private:
  /// Of one sequence.
  struct Way {
    std::int64_t entry = 0;
    std::vector<Sum> sums{};
    /// Behind every layer, by step.
    std::vector<std::vector<Vector>> results{};
    /// Of every cell, in the order in which it takes them.
    std::vector<std::vector<CellStep>> steps{};
    /// Of the result of the layer that is next on the way back, by step.
    std::vector<Vector> gradient{};
    std::vector<Vector> h{};
    std::vector<Vector> c{};
  };

  void go_forward();
  void go_back();
  void go_back(std::int64_t layer, std::int64_t direction, std::vector<std::vector<Vector>>& below);
  /// The gradient of a last state: `which` 0 of h, 1 of c.
  Vector last_gradient(const Way& way, std::size_t which, std::int64_t cell) const;
  /// Of the results of the layer below.
  void add_below(std::int64_t step, const Cell& cell, const std::vector<GateGradients>& gates,
                 std::vector<std::vector<Vector>>& below) const;
  void add_inputs(std::int64_t step, const Cell& cell, const std::vector<GateGradients>& gates);
  void add_weights(Way& way, std::int64_t cell, std::int64_t step, const CellStep& taken,
                   const GateGradients& gates) const;
  /// What the weights of `layer` met at a step.
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
