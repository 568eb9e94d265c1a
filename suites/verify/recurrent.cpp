#include "suites/verify/recurrent.h"

#include <cmath>
#include <map>

#include "suites/verify/operators.h"

namespace benanza::verify {
namespace {

/// One step's vector, with its errors. `magnitude` and `carried` as in Element; `stored` is what
/// storing the value again adds to `carried`: 0 for inputs, which every precision holds exactly.
struct Vector {
  explicit Vector(std::int64_t size)
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
  Element at(std::size_t index) const { return {value[index], magnitude[index], carried[index]}; }

  std::vector<double> value;
  std::vector<double> magnitude;
  std::vector<double> carried;
  std::vector<double> stored;
};

Vector exact(const float* values, std::int64_t size) {
  Vector vector(size);
  vector.value.assign(values, values + size);
  return vector;
}

/// weights . x. Errors of different elements of x are independent: their squares add.
Element product(const float* weights, const Vector& x) {
  double value = 0;
  double magnitude = 0;
  double error = 0;
  double carried = 0;
  for (std::size_t i = 0; i < x.value.size(); ++i) {
    const double weight = weights[i];
    const double term = weight * x.value[i];
    value += term;
    magnitude += std::abs(term);
    error += weight * weight * x.magnitude[i] * x.magnitude[i];
    carried += weight * weight * x.stored[i] * x.stored[i];
  }
  return {value, magnitude + std::sqrt(error), std::sqrt(carried)};
}

Element operator+(const Element& a, const Element& b) {
  return {a.value + b.value, a.magnitude + b.magnitude, std::hypot(a.carried, b.carried)};
}

/// To first order; the factors may have been stored.
Element operator*(const Element& a, const Element& b) {
  const double x = std::abs(a.value);
  const double y = std::abs(b.value);
  return {a.value * b.value, x * b.magnitude + y * a.magnitude, x * b.carried + y * a.carried};
}

Element constant(double value) { return {value, std::abs(value), 0}; }

/// A function of slope `slope` at `x`. Its result may be stored before it is used.
Element function(double value, double slope, const Element& x) {
  return {value, std::abs(value) + slope * x.magnitude, std::abs(value) + slope * x.carried};
}

Element sigmoid(const Element& x) {
  const double value = 1 / (1 + std::exp(-x.value));
  return function(value, value * (1 - value), x);
}

Element tanh(const Element& x) {
  const double value = std::tanh(x.value);
  return function(value, 1 - value * value, x);
}

/// The values computed for the sequence of one batch entry by one direction of one layer.
class Cell {
 public:
  Cell(const Recurrent& shape, Operands operands, std::int64_t layer, std::int64_t direction,
       std::int64_t batch)
      : shape_(shape), inputs_(shape.layer_inputs(layer)), h_(shape.hidden), c_(shape.hidden) {
    const std::int64_t cell = layer * shape.directions() + direction;
    const std::int64_t rows = shape.gates() * shape.hidden;
    weights_ = operands[1].data() + shape.weights_begin(layer, direction);
    recurrence_ = operands[2].data() + cell * rows * shape.hidden;
    std::size_t next = 3;
    if (shape.bias) bias_ = operands[next++].data() + cell * 2 * rows;
    if (!shape.initial) return;
    const std::int64_t state = (cell * shape.batch + batch) * shape.hidden;
    h_ = exact(operands[next].data() + state, shape.hidden);
    if (shape.states() == 2) c_ = exact(operands[next + 1].data() + state, shape.hidden);
  }

  void step(const Vector& x) {
    Vector next_h(shape_.hidden);
    const bool gru = shape_.kind == RecurrentKind::gru;
    const Vector reset_h = gru && !shape_.linear_before_reset ? reset(x) : Vector(0);
    for (std::int64_t unit = 0; unit < shape_.hidden; ++unit) {
      const auto i = static_cast<std::size_t>(unit);
      next_h.set(i, gru                                  ? gru_unit(x, reset_h, unit)
                    : shape_.kind == RecurrentKind::lstm ? lstm_unit(x, unit)
                                                         : rnn_unit(x, unit));
    }
    h_ = std::move(next_h);
  }

  const Vector& h() const { return h_; }
  const Vector& c() const { return c_; }

 private:
  Element of_input(const Vector& x, std::int64_t gate, std::int64_t unit) const {
    const std::int64_t row = gate * shape_.hidden + unit;
    const Element sum = product(weights_ + row * inputs_, x);
    return bias_ == nullptr ? sum : sum + constant(bias_[row]);
  }

  Element of_state(const Vector& h, std::int64_t gate, std::int64_t unit) const {
    const std::int64_t row = gate * shape_.hidden + unit;
    const Element sum = product(recurrence_ + row * shape_.hidden, h);
    return bias_ == nullptr ? sum : sum + constant(bias_[(shape_.gates() * shape_.hidden) + row]);
  }

  Element gate(const Vector& x, std::int64_t gate, std::int64_t unit) const {
    return of_input(x, gate, unit) + of_state(h_, gate, unit);
  }

  /// Of the state as it was stored.
  static Element used_again(const Vector& state, std::size_t i) {
    return {state.value[i], state.magnitude[i], state.stored[i]};
  }

  Element rnn_unit(const Vector& x, std::int64_t unit) const {
    const Element sum = gate(x, 0, unit);
    if (shape_.kind == RecurrentKind::rnn_tanh) return tanh(sum);
    return {std::max(sum.value, 0.0), sum.magnitude, sum.carried};
  }

  Element lstm_unit(const Vector& x, std::int64_t unit) {
    const auto i = static_cast<std::size_t>(unit);
    const Element input = sigmoid(gate(x, 0, unit));
    const Element output = sigmoid(gate(x, 1, unit));
    const Element forget = sigmoid(gate(x, 2, unit));
    const Element candidate = tanh(gate(x, 3, unit));
    c_.set(i, forget * used_again(c_, i) + input * candidate);
    return output * tanh(used_again(c_, i));
  }

  /// r o h, for every unit.
  Vector reset(const Vector& x) const {
    Vector result(shape_.hidden);
    for (std::int64_t unit = 0; unit < shape_.hidden; ++unit) {
      const auto i = static_cast<std::size_t>(unit);
      result.set(i, sigmoid(gate(x, 1, unit)) * used_again(h_, i));
    }
    return result;
  }

  Element gru_unit(const Vector& x, const Vector& reset_h, std::int64_t unit) const {
    const auto i = static_cast<std::size_t>(unit);
    const Element update = sigmoid(gate(x, 0, unit));
    const Element kept{1 - update.value, update.magnitude, update.carried};
    const Element recurrent = shape_.linear_before_reset
                                  ? sigmoid(gate(x, 1, unit)) * of_state(h_, 2, unit)
                                  : of_state(reset_h, 2, unit);
    return kept * tanh(of_input(x, 2, unit) + recurrent) + update * used_again(h_, i);
  }

  const Recurrent& shape_;
  std::int64_t inputs_;
  const float* weights_ = nullptr;
  const float* recurrence_ = nullptr;
  const float* bias_ = nullptr;
  Vector h_;
  Vector c_;
};

/// Everything about one sequence of the batch.
struct Sequence {
  /// Of the last layer: steps, each both directions.
  std::vector<Vector> y;
  /// Last states of (layer, direction).
  std::vector<Vector> h;
  std::vector<Vector> c;
};

Sequence solve(const Recurrent& shape, Operands operands, std::int64_t batch) {
  Sequence result;
  for (std::int64_t step = 0; step < shape.steps; ++step) {
    const std::int64_t position =
        shape.batch_first ? batch * shape.steps + step : step * shape.batch + batch;
    result.y.push_back(exact(operands[0].data() + position * shape.input_size, shape.input_size));
  }
  for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
    std::vector<Vector> y(result.y.size(), Vector(shape.directions() * shape.hidden));
    for (std::int64_t direction = 0; direction < shape.directions(); ++direction) {
      Cell cell(shape, operands, layer, direction, batch);
      const bool backward = shape.direction == RecurrentDirection::reverse || direction == 1;
      for (std::size_t taken = 0; taken < y.size(); ++taken) {
        const std::size_t step = backward ? y.size() - 1 - taken : taken;
        cell.step(result.y[step]);
        for (std::size_t unit = 0; unit < cell.h().value.size(); ++unit) {
          const auto place = static_cast<std::size_t>(direction * shape.hidden) + unit;
          y[step].set(place, cell.h().at(unit));
        }
      }
      result.h.push_back(cell.h());
      result.c.push_back(cell.c());
    }
    result.y = std::move(y);
  }
  return result;
}

}  // namespace

std::vector<Element> elements(const Recurrent& shape, Operands operands,
                              const std::vector<Dims>& all) {
  std::map<std::int64_t, Sequence> sequences;
  std::vector<Element> result;
  for (const Dims& at : all) {
    const RecurrentPlace place = recurrent_place(shape, at);
    auto found = sequences.find(place.batch);
    if (found == sequences.end()) {
      found = sequences.emplace(place.batch, solve(shape, operands, place.batch)).first;
    }
    const Sequence& sequence = found->second;
    const auto unit = static_cast<std::size_t>(place.unit);
    const auto cell = static_cast<std::size_t>(place.layer * shape.directions() + place.direction);
    switch (place.part) {
      case RecurrentPlace::Part::y:
        result.push_back(sequence.y[static_cast<std::size_t>(place.step)].at(
            static_cast<std::size_t>(place.direction * shape.hidden) + unit));
        break;
      case RecurrentPlace::Part::h:
        result.push_back(sequence.h[cell].at(unit));
        break;
      case RecurrentPlace::Part::c:
        result.push_back(sequence.c[cell].at(unit));
        break;
    }
  }
  return result;
}

double input_range(const Recurrent& shape, std::size_t operand) {
  constexpr std::size_t weights = 1;
  constexpr std::size_t recurrence = 2;
  // Gates of the order of 1, and a recurrence that forgets: the root of the sum of a row's squares
  // lies between 0.3 and 0.7, or small errors would grow from step to step, in any precision.
  if (operand == weights) return 1 / std::sqrt(static_cast<double>(shape.input_size));
  if (operand == recurrence) return 0.5 / std::sqrt(static_cast<double>(shape.hidden));
  return 1;
}

}  // namespace benanza::verify
