#include "suites/verify/recurrent_way_back.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace benanza::verify {

std::int64_t result_begin(const Recurrent& shape, std::int64_t step, std::int64_t direction,
                          std::int64_t entry) {
  const std::int64_t row = shape.batch_first
                               ? (entry * shape.steps + step) * shape.directions() + direction
                               : (step * shape.directions() + direction) * shape.batch + entry;
  return row * shape.hidden;
}

Element multiplied(const Element& element, double by) {
  return {element.value * by, element.magnitude * std::abs(by), element.carried * std::abs(by)};
}

WayBack::WayBack(const Recurrent& shape, Operands operands,
                 const std::vector<std::int64_t>& entries, const std::vector<WeightPlace>& weights,
                 const std::vector<InputPlace>& inputs)
    : shape_(shape),
      operands_(operands),
      entries_(entries),
      weights_(weights),
      inputs_(inputs),
      input_gradients_(inputs.size()) {
  for (const std::int64_t entry : entries) {
    ways_.push_back({.entry = entry, .sums = std::vector<Sum>(weights.size())});
  }
  go_forward();
  go_back();
}

void WayBack::go_forward() {
  for (std::int64_t layer = 0; layer < shape_.layers; ++layer) {
    for (Way& way : ways_) {
      way.results.emplace_back(static_cast<std::size_t>(shape_.steps),
                               Vector(shape_.directions() * shape_.hidden));
    }
    for (std::int64_t direction = 0; direction < shape_.directions(); ++direction) {
      Cell& cell = cells_.emplace_back(shape_, operands_, layer, direction, entries_, team_);
      for (Way& way : ways_) way.steps.emplace_back();
      const auto keep = [&](std::int64_t taken, std::vector<CellStep> steps) {
        const auto step = static_cast<std::size_t>(step_taken(shape_, direction, taken));
        for (std::size_t i = 0; i < ways_.size(); ++i) {
          ways_[i].steps.back().push_back(std::move(steps[i]));
          ways_[i].results.back()[step].put(cell.h(i),
                                            static_cast<std::size_t>(direction * shape_.hidden));
        }
      };
      if (layer == 0) {
        take_steps_of_input(shape_, operands_, direction, entries_, cell, keep);
        continue;
      }
      std::vector<const Vector*> inputs(ways_.size());
      for (std::int64_t taken = 0; taken < shape_.steps; ++taken) {
        const auto step = static_cast<std::size_t>(step_taken(shape_, direction, taken));
        for (std::size_t i = 0; i < ways_.size(); ++i) {
          inputs[i] = &ways_[i].results[static_cast<std::size_t>(layer - 1)][step];
        }
        keep(taken, cell.step(inputs));
      }
    }
  }
}

Vector WayBack::last_gradient(const Way& way, std::size_t which, std::int64_t cell) const {
  if (!shape_.final || which >= static_cast<std::size_t>(shape_.states())) {
    return Vector(shape_.hidden);
  }
  const std::size_t operand = shape_.inputs().size() + 1 + which;
  return exact(operands_[operand].data() + (cell * shape_.batch + way.entry) * shape_.hidden,
               shape_.hidden);
}

void WayBack::go_back() {
  const std::vector<float>& dy = operands_[shape_.inputs().size()];
  for (Way& way : ways_) {
    for (std::int64_t step = 0; step < shape_.steps; ++step) {
      Vector& all = way.gradient.emplace_back(shape_.directions() * shape_.hidden);
      for (std::int64_t direction = 0; direction < shape_.directions(); ++direction) {
        const float* values = dy.data() + result_begin(shape_, step, direction, way.entry);
        std::copy(values, values + shape_.hidden, all.value.begin() + direction * shape_.hidden);
      }
    }
    way.h.resize(cells_.size());
    way.c.resize(cells_.size());
  }
  for (std::int64_t layer = shape_.layers; layer-- > 0;) {
    const std::int64_t width = layer == 0 ? 0 : shape_.layer_inputs(layer);
    std::vector<std::vector<Vector>> below(
        ways_.size(), std::vector<Vector>(static_cast<std::size_t>(shape_.steps), Vector(width)));
    for (std::int64_t direction = 0; direction < shape_.directions(); ++direction) {
      go_back(layer, direction, below);
    }
    for (std::size_t i = 0; i < ways_.size(); ++i) ways_[i].gradient = std::move(below[i]);
  }
}

void WayBack::go_back(std::int64_t layer, std::int64_t direction,
                      std::vector<std::vector<Vector>>& below) {
  const std::int64_t cell = layer * shape_.directions() + direction;
  const auto place = static_cast<std::size_t>(cell);
  const auto units = static_cast<std::size_t>(shape_.hidden);
  for (Way& way : ways_) {
    way.h[place] = last_gradient(way, 0, cell);
    way.c[place] = last_gradient(way, 1, cell);
  }
  for (std::int64_t taken = shape_.steps; taken-- > 0;) {
    const std::int64_t step = step_taken(shape_, direction, taken);
    std::vector<StateGradients> states;
    for (Way& way : ways_) {
      Vector& h = way.h[place];
      const Vector& of_result = way.gradient[static_cast<std::size_t>(step)];
      for (std::size_t i = 0; i < units; ++i) {
        h.set(i, h.used_again(i) +
                     of_result.used_again(static_cast<std::size_t>(direction) * units + i));
      }
      states.push_back({&way.steps[place][static_cast<std::size_t>(taken)], &h, &way.c[place]});
    }
    const std::vector<GateGradients> gates = step_back(shape_, cells_[place], states);
    if (layer == 0) {
      add_inputs(step, cells_[place], gates);
    } else {
      add_below(step, cells_[place], gates, below);
    }
    for (std::size_t i = 0; i < ways_.size(); ++i) {
      add_weights(ways_[i], cell, step, *states[i].step, gates[i]);
    }
  }
}

void WayBack::add_below(std::int64_t step, const Cell& cell,
                        const std::vector<GateGradients>& gates,
                        std::vector<std::vector<Vector>>& below) const {
  std::vector<ColumnTerm> terms;
  for (std::size_t gate = 0; gate < gates.front().of_input.size(); ++gate) {
    const float* const matrix = cell.weights(static_cast<std::int64_t>(gate) * shape_.hidden);
    for (std::size_t i = 0; i < gates.size(); ++i) {
      terms.push_back({matrix, &gates[i].of_input[gate], i});
    }
  }
  const auto sums = column_sums(cell.team(), cell.inputs(), gates.size(), terms);
  for (std::size_t i = 0; i < gates.size(); ++i) {
    Vector& all = below[i][static_cast<std::size_t>(step)];
    for (std::size_t column = 0; column < all.size(); ++column) {
      all.set(column, all.at(column) + sums[i][column]);
    }
  }
}

void WayBack::add_inputs(std::int64_t step, const Cell& cell,
                         const std::vector<GateGradients>& gates) {
  for (std::size_t index = 0; index < inputs_.size(); ++index) {
    const InputPlace& place = inputs_[index];
    if (place.step != step) continue;
    Sum sum;
    for (std::size_t gate = 0; gate < gates.front().of_input.size(); ++gate) {
      const Vector& own = gates[place.sequence].of_input[gate];
      const float* const rows = cell.weights(static_cast<std::int64_t>(gate) * shape_.hidden);
      for (std::size_t row = 0; row < own.size(); ++row) {
        const double weight = rows[static_cast<std::int64_t>(row) * cell.inputs() + place.column];
        sum.add(multiplied(own.used_again(row), weight));
      }
    }
    input_gradients_[index] = input_gradients_[index] + sum.element();
  }
}

Element WayBack::met_input(const Way& way, std::int64_t layer, std::int64_t step,
                           std::size_t column) const {
  if (layer > 0) {
    return way.results[static_cast<std::size_t>(layer - 1)][static_cast<std::size_t>(step)]
        .used_again(column);
  }
  const auto begin = static_cast<std::size_t>(input_begin(shape_, step, way.entry));
  return {operands_[0][begin + column], 0, 0};
}

void WayBack::add_weights(Way& way, std::int64_t cell, std::int64_t step, const CellStep& taken,
                          const GateGradients& gates) const {
  for (std::size_t index = 0; index < weights_.size(); ++index) {
    const WeightPlace& place = weights_[index];
    if (place.cell != cell) continue;
    const auto gate = static_cast<std::size_t>(place.row / shape_.hidden);
    const auto unit = static_cast<std::size_t>(place.row % shape_.hidden);
    const auto column = static_cast<std::size_t>(place.column);
    const bool of_state = place.operand == 2 || (place.operand == 3 && column == 1);
    const Element gradient = (of_state ? gates.of_state : gates.of_input)[gate].used_again(unit);
    if (place.operand == 3) {
      way.sums[index].add(gradient);
      continue;
    }
    const bool reset = place.operand == 2 && gate == 2 && shape_.kind == RecurrentKind::gru &&
                       !shape_.linear_before_reset;
    const Element met = place.operand == 1
                            ? met_input(way, cell / shape_.directions(), step, column)
                        : reset ? taken.recurrent.used_again(column)
                                : taken.h_before.used_again(column);
    way.sums[index].add(gradient * met);
  }
}

namespace {

/// The slopes of a sigmoid and of tanh, computed from their results.
Element sigmoid_slope(const Element& y) {
  const double slope = std::abs(1 - 2 * y.value);
  const double value = y.value * (1 - y.value);
  return {value, std::abs(value) + slope * y.magnitude, slope * y.carried};
}
Element tanh_slope(const Element& y) {
  const double slope = 2 * std::abs(y.value);
  return {1 - y.value * y.value, 1 + slope * y.magnitude, slope * y.carried};
}

/// The slope of relu at `x`. If rounding may move x to the other side of 0, the error covers both.
Element relu_slope(const Element& x) {
  constexpr double most = 0x1p26;
  const double size = std::max(std::abs(x.value), 0x1p-100);
  const double value = x.value > 0 ? 1 : 0;
  return {value, std::min(x.magnitude / size, most),
          std::min((std::abs(x.value) + x.carried) / size, most)};
}

/// Computes the gradients of the gates' sums of unit i, except what depends on gru's reset gate.
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

/// One step back of several sequences.
class StepBack {
 public:
  StepBack(const Recurrent& shape, const Cell& cell, const std::vector<StateGradients>& sequences)
      : shape_(shape),
        cell_(cell),
        sequences_(sequences),
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
      of_reset_ = of_states(2, 3);
    } else if (shape_.kind != RecurrentKind::gru) {
      before_ = of_states(0, gates);
    }
    if (shape_.kind == RecurrentKind::gru) {
      of_units([&](std::size_t s, std::size_t i) { reset_back(s, i); });
      before_ = of_states(0, resets_before() ? 2 : 3);
    }
    of_units([&](std::size_t s, std::size_t i) { state_back(s, i); });
    return std::move(gradients_);
  }

 private:
  /// True for a gru whose reset gate acts on the state, not on its product.
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

  /// Propagates the gradients through the state's weights of gates [begin, end).
  std::vector<std::vector<Element>> of_states(std::size_t begin, std::size_t end) const {
    std::vector<ColumnTerm> terms;
    for (std::size_t gate = begin; gate < end; ++gate) {
      for (std::size_t s = 0; s < sequences_.size(); ++s) {
        const std::int64_t row = static_cast<std::int64_t>(gate) * shape_.hidden;
        terms.push_back({cell_.recurrence(row), &gradients_[s].of_state[gate], s});
      }
    }
    return column_sums(cell_.team(), shape_.hidden, sequences_.size(), terms);
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
      reset_gradient_[s].set(i, of_reset_[s][i]);
      own.of_input[1].set(
          i, reset_gradient_[s].used_again(i) * step.h_before.used_again(i) * sigmoid_slope(reset));
    }
    own.of_state[1].set(i, own.of_input[1].at(i));
  }

  void state_back(std::size_t s, std::size_t i) {
    const CellStep& step = *sequences_[s].step;
    Vector& h = *sequences_[s].h;
    Element before = before_[s][i];
    if (shape_.kind == RecurrentKind::gru) before = before + h.used_again(i) * step.gates[0].at(i);
    if (resets_before()) {
      before = before + reset_gradient_[s].used_again(i) * step.gates[1].at(i);
    }
    h.set(i, before);
  }

  const Recurrent& shape_;
  const Cell& cell_;
  const std::vector<StateGradients>& sequences_;
  /// Sums over the state's weights, by sequence: of gates that read the state itself, and of the
  /// candidate if it reads the reset state.
  std::vector<std::vector<Element>> before_;
  std::vector<std::vector<Element>> of_reset_;
  std::vector<Vector> reset_gradient_;
  std::vector<GateGradients> gradients_;
};

}  // namespace

std::vector<GateGradients> step_back(const Recurrent& shape, const Cell& cell,
                                     const std::vector<StateGradients>& sequences) {
  return StepBack(shape, cell, sequences).take();
}

}  // namespace benanza::verify
