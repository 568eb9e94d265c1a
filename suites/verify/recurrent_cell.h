#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "suites/verify/element_arithmetic.h"
#include "suites/verify/row_sums.h"
#include "suites/verify/team.h"

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
  /// All of `other`, from `begin` on.
  void put(const Vector& other, std::size_t begin);
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

/// A vector as a factor of sums: its sizes and the squares of its errors as floats, multiplied by
/// powers of two that keep their sums in range.
class Factor {
 public:
  explicit Factor(const Vector& x);
  /// Of several vectors that are added up: with the same powers of two.
  static std::vector<Factor> alike(const std::vector<const Vector*>& all);

  std::size_t length() const { return size_.size(); }
  /// From element `begin` on. The vector outlives it.
  Factors from(std::size_t begin) const {
    return {value_ + begin, size_.data() + begin, error_.data() + begin, carried_.data() + begin};
  }
  /// A sum of products with it.
  Element element(const RowSums& sums) const;

 private:
  /// What sizes and errors are divided by.
  struct Units {
    double size = 1;
    double error = 1;
    double carried = 1;
  };

  Factor(const Vector& x, const Units& units);
  static Units units_of(const std::vector<const Vector*>& all);

  const double* value_;
  Units units_;
  std::vector<float> size_;
  std::vector<float> error_;
  std::vector<float> carried_;
};

/// x' * matrix, added to the sums of `sequence`. `matrix` has as many rows as `x` has elements.
struct ColumnTerm {
  const float* matrix = nullptr;
  const Vector* x = nullptr;
  std::size_t sequence = 0;
};
/// Of every sequence the sum of its terms; matrices have as many columns as it has elements. Terms
/// of the same matrix follow each other, so that it is read once.
std::vector<std::vector<Element>> column_sums(Team& team, std::int64_t columns,
                                              std::size_t sequences,
                                              const std::vector<ColumnTerm>& terms);

/// The products of a matrix with several vectors; the matrix is read once.
class Products {
 public:
  Products() = default;
  Products(Team& team, const float* matrix, std::int64_t rows,
           const std::vector<const Vector*>& vectors);
  /// Of vectors that bring no errors along, as inputs of a network are.
  Products(Team& team, const float* matrix, std::int64_t rows, std::int64_t columns,
           const std::vector<const float*>& vectors);

  const Element& at(std::size_t vector, std::int64_t row) const {
    return elements_[vector * rows_ + static_cast<std::size_t>(row)];
  }

 private:
  std::size_t rows_ = 0;
  std::vector<Element> elements_;
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

/// Where a step of a batch entry begins in the input.
std::int64_t input_begin(const Recurrent& shape, std::int64_t step, std::int64_t entry);
/// The step that a direction takes as its `taken`-th.
std::int64_t step_taken(const Recurrent& shape, std::int64_t direction, std::int64_t taken);

/// Where a cell's weights lie, and the states of some sequences that take their steps together: the
/// weights, far more than caches hold, are read once for all of them.
class Cell {
 public:
  /// `direction` of layer `layer`, with the initial states of these entries of the batch.
  /// Everything outlives it.
  Cell(const Recurrent& shape, Operands operands, std::int64_t layer, std::int64_t direction,
       const std::vector<std::int64_t>& entries, Team& team);

  /// Of every sequence, `inputs` are those of the first vectors from `first` on.
  std::vector<CellStep> step(const Products& inputs, std::size_t first = 0);
  /// Of every sequence, with its input.
  std::vector<CellStep> step(const std::vector<const Vector*>& inputs);

  const Vector& h(std::size_t sequence) const { return h_[sequence]; }
  const Vector& c(std::size_t sequence) const { return c_[sequence]; }
  /// Rows of the input's and of the state's weights.
  const float* weights(std::int64_t row) const { return weights_ + row * inputs_; }
  const float* recurrence(std::int64_t row) const { return recurrence_ + row * shape_.hidden; }
  std::int64_t inputs() const { return inputs_; }
  Team& team() const { return team_; }

 private:
  /// What the units of a step are made of, of one sequence.
  struct Sums {
    const Products& inputs;
    std::size_t input;
    const Products& states;
    std::size_t state;
  };
  Element of_input(const Sums& sums, std::int64_t gate, std::int64_t unit) const;
  Element of_state(const Sums& sums, std::int64_t gate, std::int64_t unit) const;
  Element with_bias(Element sum, std::int64_t place) const;
  Element rnn_unit(const Sums& sums, std::int64_t unit, CellStep& step) const;
  Element lstm_unit(const Sums& sums, std::int64_t unit, CellStep& step);
  void reset_unit(const Sums& sums, std::int64_t unit, CellStep& step) const;
  /// `candidate`: of gru's third gate, what it gets of the state.
  Element gru_unit(const Sums& sums, std::int64_t unit, const Element& candidate,
                   CellStep& step) const;

  const Recurrent& shape_;
  Team& team_;
  std::int64_t inputs_;
  const float* weights_ = nullptr;
  const float* recurrence_ = nullptr;
  const float* bias_ = nullptr;
  std::vector<Vector> h_;
  /// Empty vectors where a cell has no such state.
  std::vector<Vector> c_;
};

/// Takes all steps of a cell of the first layer. `visit(taken, steps)` gets the steps of all
/// sequences, one after the other; the input's products are made for some of them at once.
void take_steps_of_input(
    const Recurrent& shape, Operands operands, std::int64_t direction,
    const std::vector<std::int64_t>& entries, Cell& cell,
    const std::function<void(std::int64_t taken, std::vector<CellStep> steps)>& visit);

/// The gradients of what a cell's gates are functions of.
struct GateGradients {
  /// Of the input's sums and of the state's: the same but for a gru's candidate with
  /// linear_before_reset.
  std::vector<Vector> of_input;
  std::vector<Vector> of_state;
};

/// A sequence on its way back: the step that was taken, and the gradients of its state, which
/// become those of the state before it.
struct StateGradients {
  const CellStep* step = nullptr;
  Vector* h = nullptr;
  Vector* c = nullptr;
};

/// One step back of every sequence.
std::vector<GateGradients> step_back(const Recurrent& shape, const Cell& cell,
                                     const std::vector<StateGradients>& sequences);

}  // namespace benanza::verify
