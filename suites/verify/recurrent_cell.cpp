#include "suites/verify/recurrent_cell.h"

#include <algorithm>

namespace benanza::verify {
namespace {

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

void Vector::put(const Vector& other, std::size_t begin) {
  const auto place = static_cast<std::ptrdiff_t>(begin);
  std::copy(other.value.begin(), other.value.end(), value.begin() + place);
  std::copy(other.magnitude.begin(), other.magnitude.end(), magnitude.begin() + place);
  std::copy(other.carried.begin(), other.carried.end(), carried.begin() + place);
  std::copy(other.stored.begin(), other.stored.end(), stored.begin() + place);
}

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

Element ColumnSums::at(std::size_t column) const {
  return {value_[column], magnitude_[column] + std::sqrt(error_[column]),
          std::sqrt(carried_[column])};
}

void add_terms(Team& team, std::int64_t columns, const std::vector<ColumnTerm>& terms) {
  if (terms.empty()) return;
  const auto rows = static_cast<std::int64_t>(terms.front().x->size());
  const auto stride = static_cast<std::size_t>(columns);
  const auto add_between = [&](std::int64_t begin, std::int64_t end) {
    for (auto first = terms.begin(); first != terms.end();) {
      const auto last = std::find_if(
          first, terms.end(), [&](const ColumnTerm& term) { return term.matrix != first->matrix; });
      for (std::size_t row = 0; row < first->x->size(); row += together) {
        const std::size_t count = std::min(together, first->x->size() - row);
        for (auto term = first; term != last; ++term) {
          RowElements elements;
          for (std::size_t i = 0; i < count; ++i) {
            const double magnitude = term->x->magnitude[row + i];
            const double stored = term->x->stored[row + i];
            elements[i] = {.value = term->x->value[row + i],
                           .error = magnitude * magnitude,
                           .carried = stored * stored};
          }
          add_rows(first->matrix + row * stride, stride, elements, count, term->sums->parts(),
                   static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
        }
      }
      first = last;
    }
  };
  team.in_parts(columns, rows * columns * static_cast<std::int64_t>(terms.size()), add_between);
}

ExactProducts::ExactProducts(Team& team, const float* matrix, std::int64_t rows,
                             std::int64_t columns, const std::vector<const float*>& vectors)
    : rows_(static_cast<std::size_t>(rows)),
      value_(rows_ * vectors.size()),
      magnitude_(value_.size()) {
  const auto size = static_cast<std::size_t>(columns);
  const auto count = static_cast<std::int64_t>(vectors.size());
  team.in_parts(rows, rows * columns * count, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      for (std::size_t first = 0; first < vectors.size(); first += together) {
        std::array<const float*, together> some;
        for (std::size_t i = 0; i < together; ++i) {
          some[i] = vectors[std::min(first + i, vectors.size() - 1)];
        }
        const auto sums = exact_sums(matrix + row * columns, some, size);
        for (std::size_t i = 0; i < std::min(together, vectors.size() - first); ++i) {
          const std::size_t place = (first + i) * rows_ + static_cast<std::size_t>(row);
          value_[place] = sums[i].value;
          magnitude_[place] = sums[i].magnitude;
        }
      }
    }
  });
}

Element ExactProducts::at(std::size_t vector, std::int64_t row) const {
  const std::size_t place = vector * rows_ + static_cast<std::size_t>(row);
  return {value_[place], magnitude_[place], 0};
}

Cell::Cell(const Recurrent& shape, Operands operands, std::int64_t layer, std::int64_t direction,
           const std::vector<std::int64_t>& entries, Team& team)
    : shape_(shape), team_(team), inputs_(shape.layer_inputs(layer)) {
  const std::int64_t cell = layer * shape.directions() + direction;
  const std::int64_t rows = shape.gates() * shape.hidden;
  weights_ = operands[1].data() + shape.weights_begin(layer, direction);
  recurrence_ = operands[2].data() + cell * rows * shape.hidden;
  std::size_t next = 3;
  if (shape.bias) bias_ = operands[next++].data() + cell * 2 * rows;
  const bool has_c = shape.states() == 2;
  for (const std::int64_t entry : entries) {
    const std::int64_t state = (cell * shape.batch + entry) * shape.hidden;
    h_.push_back(shape.initial ? exact(operands[next].data() + state, shape.hidden)
                               : Vector(shape.hidden));
    c_.push_back(shape.initial && has_c ? exact(operands[next + 1].data() + state, shape.hidden)
                                        : Vector(has_c ? shape.hidden : 0));
  }
}

std::vector<CellStep> Cell::step(const std::vector<CellInput>& inputs) {
  const bool gru = shape_.kind == RecurrentKind::gru;
  const bool lstm = shape_.kind == RecurrentKind::lstm;
  std::vector<CellStep> steps;
  std::vector<Vector> next_h;
  for (std::size_t sequence = 0; sequence < h_.size(); ++sequence) {
    steps.push_back({.h_before = h_[sequence],
                     .c_before = c_[sequence],
                     .gates = std::vector<Vector>(static_cast<std::size_t>(shape_.gates()),
                                                  Vector(shape_.hidden)),
                     .recurrent = Vector(gru ? shape_.hidden : 0),
                     .c_tanh = Vector(lstm ? shape_.hidden : 0)});
    next_h.emplace_back(shape_.hidden);
  }
  const std::int64_t products = shape_.gates() * shape_.hidden * (inputs_ + shape_.hidden) *
                                static_cast<std::int64_t>(h_.size());
  if (gru) {
    team_.in_parts(shape_.hidden, products / 3, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t unit = begin; unit < end; ++unit) {
        for (std::size_t i = 0; i < steps.size(); ++i) reset_unit(inputs[i], i, unit, steps[i]);
      }
    });
  }
  team_.in_parts(shape_.hidden, products, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t unit = begin; unit < end; ++unit) {
      for (std::size_t i = 0; i < steps.size(); ++i) {
        next_h[i].set(static_cast<std::size_t>(unit), gru ? gru_unit(inputs[i], i, unit, steps[i])
                                                      : lstm
                                                          ? lstm_unit(inputs[i], i, unit, steps[i])
                                                          : rnn_unit(inputs[i], i, unit, steps[i]));
      }
    }
  });
  h_ = std::move(next_h);
  return steps;
}

std::int64_t input_begin(const Recurrent& shape, std::int64_t step, std::int64_t entry) {
  return (shape.batch_first ? entry * shape.steps + step : step * shape.batch + entry) *
         shape.input_size;
}

std::int64_t step_taken(const Recurrent& shape, std::int64_t direction, std::int64_t taken) {
  const bool backward = shape.direction == RecurrentDirection::reverse || direction == 1;
  return backward ? shape.steps - 1 - taken : taken;
}

void take_steps_of_input(
    const Recurrent& shape, Operands operands, std::int64_t direction,
    const std::vector<std::int64_t>& entries, Cell& cell,
    const std::function<void(std::int64_t taken, std::vector<CellStep> steps)>& visit) {
  // Together they stay in a processor's own caches.
  constexpr std::int64_t at_once = 16;
  for (std::int64_t first = 0; first < shape.steps; first += at_once) {
    const std::int64_t last = std::min(first + at_once, shape.steps);
    std::vector<const float*> vectors;
    for (std::int64_t taken = first; taken < last; ++taken) {
      for (const std::int64_t entry : entries) {
        const std::int64_t step = step_taken(shape, direction, taken);
        vectors.push_back(operands[0].data() + input_begin(shape, step, entry));
      }
    }
    const ExactProducts products(cell.team(), cell.weights(0), shape.gates() * shape.hidden,
                                 shape.input_size, vectors);
    std::vector<CellInput> inputs(entries.size(), {.products = &products});
    std::size_t next = 0;
    for (std::int64_t taken = first; taken < last; ++taken) {
      for (CellInput& input : inputs) input.index = next++;
      visit(taken, cell.step(inputs));
    }
  }
}

Element Cell::of_input(const CellInput& x, std::int64_t gate, std::int64_t unit) const {
  const std::int64_t row = gate * shape_.hidden + unit;
  const Element sum = x.products ? x.products->at(x.index, row) : product(weights(row), *x.x);
  return bias_ == nullptr ? sum : sum + constant(bias_[row]);
}

Element Cell::of_state(const Vector& h, std::int64_t gate, std::int64_t unit) const {
  const std::int64_t row = gate * shape_.hidden + unit;
  const Element sum = product(recurrence(row), h);
  return bias_ == nullptr ? sum : sum + constant(bias_[(shape_.gates() * shape_.hidden) + row]);
}

Element Cell::rnn_unit(const CellInput& x, std::size_t sequence, std::int64_t unit,
                       CellStep& step) const {
  const auto i = static_cast<std::size_t>(unit);
  const Element sum = of_input(x, 0, unit) + of_state(h_[sequence], 0, unit);
  const bool is_tanh = shape_.kind == RecurrentKind::rnn_tanh;
  const Element result =
      is_tanh ? tanh_of(sum) : Element{std::max(sum.value, 0.0), sum.magnitude, sum.carried};
  step.gates[0].set(i, is_tanh ? result : sum);
  return result;
}

Element Cell::lstm_unit(const CellInput& x, std::size_t sequence, std::int64_t unit,
                        CellStep& step) {
  const auto i = static_cast<std::size_t>(unit);
  for (std::int64_t gate = 0; gate < 4; ++gate) {
    const Element sum = of_input(x, gate, unit) + of_state(h_[sequence], gate, unit);
    step.gates[static_cast<std::size_t>(gate)].set(i, gate == 3 ? tanh_of(sum) : sigmoid_of(sum));
  }
  const auto gate = [&](std::size_t index) { return step.gates[index].at(i); };
  c_[sequence].set(i, gate(2) * c_[sequence].used_again(i) + gate(0) * gate(3));
  step.c_tanh.set(i, tanh_of(c_[sequence].used_again(i)));
  return gate(1) * step.c_tanh.at(i);
}

void Cell::reset_unit(const CellInput& x, std::size_t sequence, std::int64_t unit,
                      CellStep& step) const {
  const auto i = static_cast<std::size_t>(unit);
  const Element reset = sigmoid_of(of_input(x, 1, unit) + of_state(h_[sequence], 1, unit));
  step.gates[1].set(i, reset);
  step.recurrent.set(i, shape_.linear_before_reset ? of_state(h_[sequence], 2, unit)
                                                   : reset * h_[sequence].used_again(i));
}

Element Cell::gru_unit(const CellInput& x, std::size_t sequence, std::int64_t unit,
                       CellStep& step) const {
  const auto i = static_cast<std::size_t>(unit);
  const Element update = sigmoid_of(of_input(x, 0, unit) + of_state(h_[sequence], 0, unit));
  const Element kept{1 - update.value, update.magnitude, update.carried};
  const Element recurrent = shape_.linear_before_reset ? step.gates[1].at(i) * step.recurrent.at(i)
                                                       : of_state(step.recurrent, 2, unit);
  const Element candidate = tanh_of(of_input(x, 2, unit) + recurrent);
  step.gates[0].set(i, update);
  step.gates[2].set(i, candidate);
  return kept * candidate + update * h_[sequence].used_again(i);
}

namespace {

/// The gradients of the sums of the gates of unit i, but for what a gru's reset gate has to do
/// with.
void gates_back(const Recurrent& shape, const StateGradients& state, std::size_t i,
                std::vector<Vector>& gates) {
  const CellStep& step = *state.step;
  const auto gate = [&](std::size_t index) { return step.gates[index].at(i); };
  const Element of_h = state.h->used_again(i);
  switch (shape.kind) {
    case RecurrentKind::lstm: {
      const Element tanh_c = step.c_tanh.at(i);
      const Element of_c = state.c->used_again(i) + of_h * gate(1) * tanh_slope(tanh_c);
      gates[0].set(i, of_c * gate(3) * sigmoid_slope(gate(0)));
      gates[1].set(i, of_h * tanh_c * sigmoid_slope(gate(1)));
      gates[2].set(i, of_c * step.c_before.used_again(i) * sigmoid_slope(gate(2)));
      gates[3].set(i, of_c * gate(0) * tanh_slope(gate(3)));
      state.c->set(i, of_c * gate(2));
      return;
    }
    case RecurrentKind::gru: {
      const Element candidate = gate(2);
      const Element minus{-candidate.value, candidate.magnitude, candidate.carried};
      const Element difference = step.h_before.used_again(i) + minus;
      gates[0].set(i, of_h * difference * sigmoid_slope(gate(0)));
      gates[2].set(i, of_h * one_minus(gate(0)) * tanh_slope(candidate));
      return;
    }
    case RecurrentKind::rnn_tanh:
      gates[0].set(i, of_h * tanh_slope(gate(0)));
      return;
    case RecurrentKind::rnn_relu:
      gates[0].set(i, of_h * relu_slope(gate(0)));
      return;
  }
}

/// One step back of some sequences, part by part.
class StepBack {
 public:
  StepBack(const Recurrent& shape, const Cell& cell, const std::vector<StateGradients>& sequences)
      : shape_(shape),
        cell_(cell),
        sequences_(sequences),
        before_(sequences.size(), ColumnSums(shape.hidden)),
        of_reset_(sequences.size(), ColumnSums(resets_before() ? shape.hidden : 0)),
        reset_gradient_(sequences.size(), Vector(resets_before() ? shape.hidden : 0)) {
    const std::vector<Vector> none(static_cast<std::size_t>(shape.gates()), Vector(shape.hidden));
    gradients_.resize(sequences.size(), {.of_input = none, .of_state = {}});
  }

  std::vector<GateGradients> take() {
    const std::size_t gates = gradients_.front().of_input.size();
    of_units([&](std::size_t s, std::size_t i) {
      gates_back(shape_, sequences_[s], i, gradients_[s].of_input);
    });
    for (GateGradients& one : gradients_) one.of_state = one.of_input;
    if (resets_before()) {
      add_states(2, 3, of_reset_);
    } else if (shape_.kind != RecurrentKind::gru) {
      add_states(0, gates, before_);
    }
    if (shape_.kind == RecurrentKind::gru) {
      of_units([&](std::size_t s, std::size_t i) { reset_back(s, i); });
      add_states(0, resets_before() ? 2 : 3, before_);
    }
    of_units([&](std::size_t s, std::size_t i) { state_back(s, i); });
    return std::move(gradients_);
  }

 private:
  /// A gru whose reset gate acts on the state, not on its product.
  bool resets_before() const {
    return shape_.kind == RecurrentKind::gru && !shape_.linear_before_reset;
  }

  template <class Do>
  void of_units(const Do& work) {
    constexpr std::int64_t as_products = 256;
    const auto count = static_cast<std::int64_t>(sequences_.size());
    cell_.team().in_parts(shape_.hidden, shape_.hidden * count * as_products,
                          [&](std::int64_t begin, std::int64_t end) {
                            for (std::size_t s = 0; s < sequences_.size(); ++s) {
                              for (std::int64_t unit = begin; unit < end; ++unit) {
                                work(s, static_cast<std::size_t>(unit));
                              }
                            }
                          });
  }

  /// Through the state's weights of gates [begin, end).
  void add_states(std::size_t begin, std::size_t end, std::vector<ColumnSums>& sums) {
    std::vector<ColumnTerm> terms;
    for (std::size_t gate = begin; gate < end; ++gate) {
      for (std::size_t s = 0; s < sequences_.size(); ++s) {
        const std::int64_t row = static_cast<std::int64_t>(gate) * shape_.hidden;
        terms.push_back({cell_.recurrence(row), &gradients_[s].of_state[gate], &sums[s]});
      }
    }
    add_terms(cell_.team(), shape_.hidden, terms);
  }

  void reset_back(std::size_t s, std::size_t i) {
    const CellStep& step = *sequences_[s].step;
    GateGradients& own = gradients_[s];
    const Element reset = step.gates[1].at(i);
    if (shape_.linear_before_reset) {
      const Element candidate = own.of_input[2].used_again(i);
      own.of_input[1].set(i, candidate * step.recurrent.used_again(i) * sigmoid_slope(reset));
      own.of_state[2].set(i, candidate * reset);
    } else {
      reset_gradient_[s].set(i, of_reset_[s].at(i));
      own.of_input[1].set(
          i, reset_gradient_[s].used_again(i) * step.h_before.used_again(i) * sigmoid_slope(reset));
    }
    own.of_state[1].set(i, own.of_input[1].at(i));
  }

  void state_back(std::size_t s, std::size_t i) {
    const CellStep& step = *sequences_[s].step;
    Vector& h = *sequences_[s].h;
    Element before = before_[s].at(i);
    if (shape_.kind == RecurrentKind::gru) before = before + h.used_again(i) * step.gates[0].at(i);
    if (resets_before()) {
      before = before + reset_gradient_[s].used_again(i) * step.gates[1].at(i);
    }
    h.set(i, before);
  }

  const Recurrent& shape_;
  const Cell& cell_;
  const std::vector<StateGradients>& sequences_;
  std::vector<ColumnSums> before_;
  std::vector<ColumnSums> of_reset_;
  std::vector<Vector> reset_gradient_;
  std::vector<GateGradients> gradients_;
};

}  // namespace

std::vector<GateGradients> step_back(const Recurrent& shape, const Cell& cell,
                                     const std::vector<StateGradients>& sequences) {
  return StepBack(shape, cell, sequences).take();
}

}  // namespace benanza::verify
