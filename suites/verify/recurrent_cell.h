#pragma once

#include <cmath>
#include <vector>

#include "suites/verify/element_arithmetic.h"

/// A cell of a recurrent network, forward and back, in double and with the errors that libraries
/// make.
namespace benanza::verify {

/// One step's vector, with its errors. `magnitude` and `carried` as in Element; `stored` is what
/// storing the value again adds to `carried`: 0 for inputs, which every precision holds exactly.
struct Vector {
  explicit Vector(std::int64_t size = 0)
      : value(static_cast<std::size_t>(size)),
        magnitude(value.size()),
        carried(value.size()),
        stored(value.size()) {}

  void set(std::size_t index, const Element& element) {
    value[index] = element.value;
    magnitude[index] = element.magnitude;
    carried[index] = element.carried;
    stored[index] = std::abs(element.value) + element.carried;
  }
  std::size_t size() const { return value.size(); }
  Element at(std::size_t index) const { return {value[index], magnitude[index], carried[index]}; }
  /// As it was stored.
  Element used_again(std::size_t index) const {
    return {value[index], magnitude[index], stored[index]};
  }

  std::vector<double> value;
  std::vector<double> magnitude;
  std::vector<double> carried;
  std::vector<double> stored;
};

Vector exact(const float* values, std::int64_t size);

/// The products of columns with vectors, added up: of a matrix of as many columns, x' * matrix.
class ColumnSums {
 public:
  explicit ColumnSums(std::int64_t columns);
  /// `matrix` has as many rows as `x` has elements.
  void add(const float* matrix, const Vector& x);
  Element at(std::size_t column) const;

 private:
  std::vector<double> value_;
  std::vector<double> magnitude_;
  std::vector<double> error_;
  std::vector<double> carried_;
};

/// What a step of a cell leaves behind for its gradient.
struct CellStep {
  Vector h_before;
  Vector c_before;
  /// Behind their functions, in the problem's order; of relu, what the function gets.
  std::vector<Vector> gates;
  /// gru: r o h, or with linear_before_reset the recurrent product that the reset gate acts on.
  Vector recurrent;
  /// lstm: tanh of the cell.
  Vector c_tanh;
};

/// Where a cell's weights lie, and the state of one sequence.
class Cell {
 public:
  /// `direction` of layer `layer`, with the initial state of batch entry `batch`.
  Cell(const Recurrent& shape, Operands operands, std::int64_t layer, std::int64_t direction,
       std::int64_t batch);

  CellStep step(const Vector& x);

  const Vector& h() const { return h_; }
  const Vector& c() const { return c_; }
  /// Rows of the input's and of the state's weights.
  const float* weights(std::int64_t row) const { return weights_ + row * inputs_; }
  const float* recurrence(std::int64_t row) const { return recurrence_ + row * shape_.hidden; }

 private:
  Element of_input(const Vector& x, std::int64_t gate, std::int64_t unit) const;
  Element of_state(const Vector& h, std::int64_t gate, std::int64_t unit) const;
  Element rnn_unit(const Vector& x, std::int64_t unit, CellStep& step) const;
  Element lstm_unit(const Vector& x, std::int64_t unit, CellStep& step);
  void reset_unit(const Vector& x, std::int64_t unit, CellStep& step) const;
  Element gru_unit(const Vector& x, std::int64_t unit, CellStep& step) const;

  const Recurrent& shape_;
  std::int64_t inputs_;
  const float* weights_ = nullptr;
  const float* recurrence_ = nullptr;
  const float* bias_ = nullptr;
  Vector h_;
  Vector c_;
};

/// The gradients of what a cell's gates are functions of.
struct GateGradients {
  /// Of the input's sums and of the state's: the same but for a gru's candidate with
  /// linear_before_reset.
  std::vector<Vector> of_input;
  std::vector<Vector> of_state;
};

/// One step back. `dh` and `dc` are the gradients of the step's state, and become those of the
/// state before it.
GateGradients step_back(const Recurrent& shape, const Cell& cell, const CellStep& step, Vector& dh,
                        Vector& dc);

}  // namespace benanza::verify
