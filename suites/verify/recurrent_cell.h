#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "suites/verify/element_arithmetic.h"
#include "suites/verify/row_sums.h"
#include "suites/verify/team.h"

/// A cell of a recurrent network, forward and backward, in double and with the errors that
/// libraries make.
namespace benanza::verify {

/// The vector of one step, with its errors. `magnitude` and `carried` as in Element; `stored` is
/// `carried` after the value has been stored again: 0 for inputs, which every precision holds
/// exactly.
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
  /// Copies all of `other` to the elements from `begin` on.
  void put(const Vector& other, std::size_t begin);
  std::size_t size() const { return value.size(); }
  Element at(std::size_t index) const { return {value[index], magnitude[index], carried[index]}; }
  /// The element after storing it.
  Element used_again(std::size_t index) const {
    return {value[index], magnitude[index], stored[index]};
  }

  std::vector<double> value;
  std::vector<double> magnitude;
  std::vector<double> carried;
  std::vector<double> stored;
};

Vector exact(const float* values, std::int64_t size);

/// A vector as a factor of sums: magnitudes and squared errors as floats, scaled by powers of two
/// that keep the sums in range.
class Factor {
 public:
  explicit Factor(const Vector& x);
  /// For several vectors that are summed: with the same powers of two.
  static std::vector<Factor> alike(const std::vector<const Vector*>& all);

  std::size_t length() const { return size_.size(); }
  /// The elements from `begin` on. The vector must outlive the result.
  Factors from(std::size_t begin) const {
    return {value_ + begin, size_.data() + begin, error_.data() + begin, carried_.data() + begin};
  }
  /// Converts a sum of products with this vector.
  Element element(const RowSums& sums) const;

 private:
  /// The divisors of magnitudes and errors.
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
/// Returns the sum of every sequence's terms; the matrices have `columns` columns. Terms with the
/// same matrix must be adjacent, so that it is read once.
std::vector<std::vector<Element>> column_sums(Team& team, std::int64_t columns,
                                              std::size_t sequences,
                                              const std::vector<ColumnTerm>& terms);

/// The products of a matrix with several vectors; the matrix is read once.
class Products {
 public:
  Products() = default;
  Products(Team& team, const float* matrix, std::int64_t rows,
           const std::vector<const Vector*>& vectors);
  /// For vectors without errors, such as the inputs of a network.
  Products(Team& team, const float* matrix, std::int64_t rows, std::int64_t columns,
           const std::vector<const float*>& vectors);

  const Element& at(std::size_t vector, std::int64_t row) const {
    return elements_[vector * rows_ + static_cast<std::size_t>(row)];
  }

 private:
  std::size_t rows_ = 0;
  std::vector<Element> elements_;
};

/// What a cell's step keeps for its gradient.
struct CellStep {
  Vector h_before;
  Vector c_before;
  /// After their activation functions, in the problem's order; for relu, before it.
  std::vector<Vector> gates;
  /// gru: r o h, or with linear_before_reset the recurrent product that the reset gate acts on.
  Vector recurrent;
  /// lstm: tanh of the cell.
  Vector c_tanh;
};

/// The offset of a step of a batch entry in the input.
std::int64_t input_begin(const Recurrent& shape, std::int64_t step, std::int64_t entry);
/// The `taken`-th step in a direction's order.
std::int64_t step_taken(const Recurrent& shape, std::int64_t direction, std::int64_t taken);

/// How libraries store what a step uses. as_bytes: of the state h, each value is off by up to one
/// unit, whatever its size; all else is fp32.
enum class StoredStates { as_floats, as_bytes };

/// A cell's weights, and the states of several sequences that take their steps together, so that
/// the weights, which are far larger than caches, are read once for all of them.
class Cell {
 public:
  /// `direction` of layer `layer`, with the initial states of these entries of the batch. All
  /// arguments must outlive the cell.
  Cell(const Recurrent& shape, Operands operands, std::int64_t layer, std::int64_t direction,
       const std::vector<std::int64_t>& entries, Team& team,
       StoredStates stored = StoredStates::as_floats);

  /// Takes one step of every sequence; the products of their inputs start at vector `first` of
  /// `inputs`.
  std::vector<CellStep> step(const Products& inputs, std::size_t first = 0);
  /// Takes one step of every sequence with the given inputs.
  std::vector<CellStep> step(const std::vector<const Vector*>& inputs);

  const Vector& h(std::size_t sequence) const { return h_[sequence]; }
  const Vector& c(std::size_t sequence) const { return c_[sequence]; }
  /// Rows of the input's and of the state's weights.
  const float* weights(std::int64_t row) const { return weights_ + row * inputs_; }
  const float* recurrence(std::int64_t row) const { return recurrence_ + row * shape_.hidden; }
  std::int64_t inputs() const { return inputs_; }
  Team& team() const { return team_; }

 private:
  /// The sums that the units of one sequence's step are computed from.
  struct Sums {
    const Products& inputs;
    std::size_t input;
    const Products& states;
    std::size_t state;
  };
  Element of_input(const Sums& sums, std::int64_t gate, std::int64_t unit) const;
  Element of_state(const Sums& sums, std::int64_t gate, std::int64_t unit) const;
  /// A function's result, with bytes without the error of storing it.
  Element not_stored(Element result) const;
  Element with_bias(Element sum, std::int64_t place) const;
  Element rnn_unit(const Sums& sums, std::int64_t unit, CellStep& step) const;
  Element lstm_unit(const Sums& sums, std::int64_t unit, CellStep& step);
  void reset_unit(const Sums& sums, std::int64_t unit, CellStep& step) const;
  /// `candidate` is the state's contribution to gru's third gate.
  Element gru_unit(const Sums& sums, std::int64_t unit, const Element& candidate,
                   CellStep& step) const;

  const Recurrent& shape_;
  Team& team_;
  StoredStates stored_;
  std::int64_t inputs_;
  const float* weights_ = nullptr;
  const float* recurrence_ = nullptr;
  const float* bias_ = nullptr;
  std::vector<Vector> h_;
  /// Empty if the cell has no such state.
  std::vector<Vector> c_;
};

/// Takes all steps of a cell of the first layer. `visit(taken, steps)` receives the steps of all
/// sequences, one after the other; the input's products are computed for several steps at once.
void take_steps_of_input(
    const Recurrent& shape, Operands operands, std::int64_t direction,
    const std::vector<std::int64_t>& entries, Cell& cell,
    const std::function<void(std::int64_t taken, std::vector<CellStep> steps)>& visit);

/// The gradients of the arguments of a cell's gates.
struct GateGradients {
  /// With respect to the input's sums and the state's: equal except for a gru's candidate with
  /// linear_before_reset.
  std::vector<Vector> of_input;
  std::vector<Vector> of_state;
};

/// A sequence in the backward pass: the step that was taken, and the gradients of its state, which
/// become those of the previous state.
struct StateGradients {
  const CellStep* step = nullptr;
  Vector* h = nullptr;
  Vector* c = nullptr;
};

/// Takes every sequence one step back.
std::vector<GateGradients> step_back(const Recurrent& shape, const Cell& cell,
                                     const std::vector<StateGradients>& sequences);

}  // namespace benanza::verify
