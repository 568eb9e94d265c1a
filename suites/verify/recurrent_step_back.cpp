#include <algorithm>
#include <cmath>

#include "suites/verify/recurrent_cell.h"

namespace benanza::verify {
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
