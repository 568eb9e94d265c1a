#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/problem/ops/recurrent.h"
#include "suites/verify/operators.h"
#include "suites/verify/recurrent_cell.h"

namespace benanza::verify {

/// Where a step of a batch entry begins in the input, and in the result.
std::int64_t input_begin(const Recurrent& shape, std::int64_t step, std::int64_t entry);
std::int64_t result_begin(const Recurrent& shape, std::int64_t step, std::int64_t direction,
                          std::int64_t entry);

/// An element of weights, recurrence or bias: which cell's, and its row and column.
struct WeightPlace {
  std::size_t sample = 0;
  std::size_t operand = 0;
  std::int64_t cell = 0;
  std::int64_t row = 0;
  /// Of a bias: 0 for the input's products, 1 for the state's.
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

/// All gradients of one sequence: those of its data, and of the weights that are asked for.
class WayBack {
 public:
  /// Everything outlives it.
  WayBack(const Recurrent& shape, Operands operands, std::int64_t entry,
          const std::vector<WeightPlace>& weights);

  /// Of the input at a step.
  const Vector& input(std::int64_t step) const { return gradient_[static_cast<std::size_t>(step)]; }
  /// Of the initial state of (layer, direction).
  const Vector& h(std::size_t cell) const { return h_[cell]; }
  const Vector& c(std::size_t cell) const { return c_[cell]; }
  /// Of `weights[index]`.
  Element weight(std::size_t index) const { return sums_[index].element(); }

 private:
  bool is_backward(std::int64_t direction) const;
  std::size_t step_taken(std::int64_t direction, std::int64_t taken) const;
  void go_forward();
  void go_back();
  /// The gradient of a last state: `which` 0 of h, 1 of c.
  Vector last_gradient(std::size_t which, std::int64_t cell) const;
  void add_inputs(Vector& inputs, const Cell& cell, const GateGradients& gates) const;
  void add_weights(std::int64_t cell, const Vector& x, const CellStep& step,
                   const GateGradients& gates);

  const Recurrent& shape_;
  Operands operands_;
  std::int64_t entry_;
  const std::vector<WeightPlace>& weights_;
  std::vector<Sum> sums_;
  /// Of every layer and behind the last one, by step.
  std::vector<std::vector<Vector>> inputs_;
  std::vector<Cell> cells_;
  /// Of every cell, in the order in which it takes them.
  std::vector<std::vector<CellStep>> steps_;
  /// Of the result of the layer that is next on the way back, by step.
  std::vector<Vector> gradient_;
  std::vector<Vector> h_;
  std::vector<Vector> c_;
};

}  // namespace benanza::verify
