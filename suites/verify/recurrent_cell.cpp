#include "suites/verify/recurrent_cell.h"

#include <algorithm>
#include <functional>
#include <thread>

#include "suites/verify/row_sums.h"

namespace benanza::verify {
namespace {

/// work(begin, end) over [0, count), by several processors where there is a lot to do.
void in_parts(std::int64_t count, std::int64_t products,
              const std::function<void(std::int64_t, std::int64_t)>& work) {
  constexpr std::int64_t alone = 1 << 21;
  const std::int64_t parts = std::clamp<std::int64_t>(
      products / alone, 1, std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::jthread> workers;
  for (std::int64_t part = 0; part + 1 < parts; ++part) {
    workers.emplace_back(work, count * part / parts, count * (part + 1) / parts);
  }
  work(count * (parts - 1) / parts, count);
}

/// weights . x. Errors of different elements of x are independent: their squares add.
Element product(const float* weights, const Vector& x) {
  const RowSums sums =
      row_sums(weights, {x.value.data(), x.magnitude.data(), x.stored.data()}, x.size());
  return {sums.value, sums.magnitude + std::sqrt(sums.error), std::sqrt(sums.carried)};
}

/// Of a sigmoid and of tanh, by their results.
Element sigmoid_slope(const Element& y) {
  const double slope = std::abs(1 - 2 * y.value);
  const double value = y.value * (1 - y.value);
  return {value, std::abs(value) + slope * y.magnitude, slope * y.carried};
}
Element tanh_slope(const Element& y) {
  const double slope = 2 * std::abs(y.value);
  return {1 - y.value * y.value, 1 + slope * y.magnitude, slope * y.carried};
}

/// Of relu at `x`. An x that rounding may put on the other side of 0 has the other slope.
Element relu_slope(const Element& x) {
  constexpr double most = 0x1p26;
  const double size = std::max(std::abs(x.value), 0x1p-100);
  const double value = x.value > 0 ? 1 : 0;
  return {value, std::min(x.magnitude / size, most),
          std::min((std::abs(x.value) + x.carried) / size, most)};
}

}  // namespace

Vector exact(const float* values, std::int64_t size) {
  Vector vector(size);
  vector.value.assign(values, values + size);
  return vector;
}

ColumnSums::ColumnSums(std::int64_t columns)
    : value_(static_cast<std::size_t>(columns)),
      magnitude_(value_.size()),
      error_(value_.size()),
      carried_(value_.size()) {}

void ColumnSums::add(const float* matrix, const Vector& x) {
  const auto columns = static_cast<std::int64_t>(value_.size());
  const auto rows = static_cast<std::int64_t>(x.size());
  in_parts(columns, rows * columns, [&](std::int64_t begin, std::int64_t end) {
    const ColumnParts sums{value_.data(), magnitude_.data(), error_.data(), carried_.data()};
    for (std::size_t row = 0; row < x.size(); ++row) {
      add_row(matrix + static_cast<std::int64_t>(row) * columns,
              {.value = x.value[row],
               .error = x.magnitude[row] * x.magnitude[row],
               .carried = x.stored[row] * x.stored[row]},
              sums, static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
    }
  });
}

Element ColumnSums::at(std::size_t column) const {
  return {value_[column], magnitude_[column] + std::sqrt(error_[column]),
          std::sqrt(carried_[column])};
}

Cell::Cell(const Recurrent& shape, Operands operands, std::int64_t layer, std::int64_t direction,
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

CellStep Cell::step(const Vector& x) {
  const bool gru = shape_.kind == RecurrentKind::gru;
  const bool lstm = shape_.kind == RecurrentKind::lstm;
  CellStep step{
      .h_before = h_,
      .c_before = c_,
      .gates = std::vector<Vector>(static_cast<std::size_t>(shape_.gates()), Vector(shape_.hidden)),
      .recurrent = Vector(gru ? shape_.hidden : 0),
      .c_tanh = Vector(lstm ? shape_.hidden : 0)};
  Vector next_h(shape_.hidden);
  const std::int64_t products = shape_.gates() * shape_.hidden * (inputs_ + shape_.hidden);
  if (gru) {
    in_parts(shape_.hidden, products / 3, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t unit = begin; unit < end; ++unit) reset_unit(x, unit, step);
    });
  }
  in_parts(shape_.hidden, products, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t unit = begin; unit < end; ++unit) {
      next_h.set(static_cast<std::size_t>(unit), gru    ? gru_unit(x, unit, step)
                                                 : lstm ? lstm_unit(x, unit, step)
                                                        : rnn_unit(x, unit, step));
    }
  });
  h_ = std::move(next_h);
  return step;
}

Element Cell::of_input(const Vector& x, std::int64_t gate, std::int64_t unit) const {
  const std::int64_t row = gate * shape_.hidden + unit;
  const Element sum = product(weights(row), x);
  return bias_ == nullptr ? sum : sum + constant(bias_[row]);
}

Element Cell::of_state(const Vector& h, std::int64_t gate, std::int64_t unit) const {
  const std::int64_t row = gate * shape_.hidden + unit;
  const Element sum = product(recurrence(row), h);
  return bias_ == nullptr ? sum : sum + constant(bias_[(shape_.gates() * shape_.hidden) + row]);
}

Element Cell::rnn_unit(const Vector& x, std::int64_t unit, CellStep& step) const {
  const auto i = static_cast<std::size_t>(unit);
  const Element sum = of_input(x, 0, unit) + of_state(h_, 0, unit);
  const bool is_tanh = shape_.kind == RecurrentKind::rnn_tanh;
  const Element result =
      is_tanh ? tanh_of(sum) : Element{std::max(sum.value, 0.0), sum.magnitude, sum.carried};
  step.gates[0].set(i, is_tanh ? result : sum);
  return result;
}

Element Cell::lstm_unit(const Vector& x, std::int64_t unit, CellStep& step) {
  const auto i = static_cast<std::size_t>(unit);
  for (std::int64_t gate = 0; gate < 4; ++gate) {
    const Element sum = of_input(x, gate, unit) + of_state(h_, gate, unit);
    step.gates[static_cast<std::size_t>(gate)].set(i, gate == 3 ? tanh_of(sum) : sigmoid_of(sum));
  }
  const auto gate = [&](std::size_t index) { return step.gates[index].at(i); };
  c_.set(i, gate(2) * c_.used_again(i) + gate(0) * gate(3));
  step.c_tanh.set(i, tanh_of(c_.used_again(i)));
  return gate(1) * step.c_tanh.at(i);
}

void Cell::reset_unit(const Vector& x, std::int64_t unit, CellStep& step) const {
  const auto i = static_cast<std::size_t>(unit);
  const Element reset = sigmoid_of(of_input(x, 1, unit) + of_state(h_, 1, unit));
  step.gates[1].set(i, reset);
  step.recurrent.set(i,
                     shape_.linear_before_reset ? of_state(h_, 2, unit) : reset * h_.used_again(i));
}

Element Cell::gru_unit(const Vector& x, std::int64_t unit, CellStep& step) const {
  const auto i = static_cast<std::size_t>(unit);
  const Element update = sigmoid_of(of_input(x, 0, unit) + of_state(h_, 0, unit));
  const Element kept{1 - update.value, update.magnitude, update.carried};
  const Element recurrent = shape_.linear_before_reset ? step.gates[1].at(i) * step.recurrent.at(i)
                                                       : of_state(step.recurrent, 2, unit);
  const Element candidate = tanh_of(of_input(x, 2, unit) + recurrent);
  step.gates[0].set(i, update);
  step.gates[2].set(i, candidate);
  return kept * candidate + update * h_.used_again(i);
}

namespace {

/// dh and dc of an lstm's step to the gradients of its gates' sums; dc becomes that of the cell
/// before.
void lstm_back(const CellStep& step, const Vector& dh, Vector& dc, std::vector<Vector>& gates) {
  for (std::size_t i = 0; i < dh.size(); ++i) {
    const auto gate = [&](std::size_t index) { return step.gates[index].at(i); };
    const Element tanh_c = step.c_tanh.at(i);
    const Element of_h = dh.used_again(i);
    const Element of_c = dc.used_again(i) + of_h * gate(1) * tanh_slope(tanh_c);
    gates[0].set(i, of_c * gate(3) * sigmoid_slope(gate(0)));
    gates[1].set(i, of_h * tanh_c * sigmoid_slope(gate(1)));
    gates[2].set(i, of_c * step.c_before.used_again(i) * sigmoid_slope(gate(2)));
    gates[3].set(i, of_c * gate(0) * tanh_slope(gate(3)));
    dc.set(i, of_c * gate(2));
  }
}

/// The update gate and the candidate of a gru's step.
void gru_back(const CellStep& step, const Vector& dh, std::vector<Vector>& gates) {
  for (std::size_t i = 0; i < dh.size(); ++i) {
    const Element update = step.gates[0].at(i);
    const Element candidate = step.gates[2].at(i);
    const Element of_h = dh.used_again(i);
    const Element minus{-candidate.value, candidate.magnitude, candidate.carried};
    const Element difference = step.h_before.used_again(i) + minus;
    gates[0].set(i, of_h * difference * sigmoid_slope(update));
    gates[2].set(i, of_h * one_minus(update) * tanh_slope(candidate));
  }
}

}  // namespace

GateGradients step_back(const Recurrent& shape, const Cell& cell, const CellStep& step, Vector& dh,
                        Vector& dc) {
  GateGradients gradients{.of_input = std::vector<Vector>(static_cast<std::size_t>(shape.gates()),
                                                          Vector(shape.hidden)),
                          .of_state = {}};
  std::vector<Vector>& gates = gradients.of_input;
  const auto units = static_cast<std::size_t>(shape.hidden);
  const auto add_states = [&](ColumnSums& sums, std::size_t gate, const Vector& values) {
    sums.add(cell.recurrence(static_cast<std::int64_t>(gate) * shape.hidden), values);
  };
  ColumnSums before(shape.hidden);
  if (shape.kind != RecurrentKind::gru) {
    if (shape.kind == RecurrentKind::lstm) {
      lstm_back(step, dh, dc, gates);
    } else {
      const bool is_tanh = shape.kind == RecurrentKind::rnn_tanh;
      for (std::size_t i = 0; i < units; ++i) {
        const Element kept = step.gates[0].at(i);
        gates[0].set(i, dh.used_again(i) * (is_tanh ? tanh_slope(kept) : relu_slope(kept)));
      }
    }
    gradients.of_state = gates;
    for (std::size_t gate = 0; gate < gates.size(); ++gate) add_states(before, gate, gates[gate]);
    for (std::size_t i = 0; i < units; ++i) dh.set(i, before.at(i));
    return gradients;
  }
  gru_back(step, dh, gates);
  gradients.of_state = gates;
  if (shape.linear_before_reset) {
    for (std::size_t i = 0; i < units; ++i) {
      const Element reset = step.gates[1].at(i);
      gates[1].set(i, gates[2].used_again(i) * step.recurrent.used_again(i) * sigmoid_slope(reset));
      gradients.of_state[2].set(i, gates[2].used_again(i) * reset);
    }
    gradients.of_state[1] = gates[1];
    for (std::size_t gate = 0; gate < 3; ++gate) add_states(before, gate, gradients.of_state[gate]);
    for (std::size_t i = 0; i < units; ++i) {
      dh.set(i, before.at(i) + dh.used_again(i) * step.gates[0].at(i));
    }
    return gradients;
  }
  ColumnSums of_reset(shape.hidden);
  add_states(of_reset, 2, gates[2]);
  Vector reset_gradient(shape.hidden);
  for (std::size_t i = 0; i < units; ++i) {
    reset_gradient.set(i, of_reset.at(i));
    gates[1].set(i, reset_gradient.used_again(i) * step.h_before.used_again(i) *
                        sigmoid_slope(step.gates[1].at(i)));
  }
  gradients.of_state[1] = gates[1];
  for (std::size_t gate = 0; gate < 2; ++gate) add_states(before, gate, gates[gate]);
  for (std::size_t i = 0; i < units; ++i) {
    dh.set(i, before.at(i) + dh.used_again(i) * step.gates[0].at(i) +
                  reset_gradient.used_again(i) * step.gates[1].at(i));
  }
  return gradients;
}

}  // namespace benanza::verify
