#include "suites/verify/recurrent_way_back.h"

#include <algorithm>
#include <utility>

namespace benanza::verify {

std::int64_t input_begin(const Recurrent& shape, std::int64_t step, std::int64_t entry) {
  return (shape.batch_first ? entry * shape.steps + step : step * shape.batch + entry) *
         shape.input_size;
}

std::int64_t result_begin(const Recurrent& shape, std::int64_t step, std::int64_t direction,
                          std::int64_t entry) {
  const std::int64_t row = shape.batch_first
                               ? (entry * shape.steps + step) * shape.directions() + direction
                               : (step * shape.directions() + direction) * shape.batch + entry;
  return row * shape.hidden;
}

WayBack::WayBack(const Recurrent& shape, Operands operands, std::int64_t entry,
                 const std::vector<WeightPlace>& weights)
    : shape_(shape), operands_(operands), entry_(entry), weights_(weights), sums_(weights.size()) {
  go_forward();
  go_back();
}

bool WayBack::is_backward(std::int64_t direction) const {
  return shape_.direction == RecurrentDirection::reverse || direction == 1;
}

std::size_t WayBack::step_taken(std::int64_t direction, std::int64_t taken) const {
  return static_cast<std::size_t>(is_backward(direction) ? shape_.steps - 1 - taken : taken);
}

void WayBack::go_forward() {
  inputs_.emplace_back();
  for (std::int64_t step = 0; step < shape_.steps; ++step) {
    inputs_[0].push_back(
        exact(operands_[0].data() + input_begin(shape_, step, entry_), shape_.input_size));
  }
  for (std::int64_t layer = 0; layer < shape_.layers; ++layer) {
    std::vector<Vector> y(inputs_[0].size(), Vector(shape_.directions() * shape_.hidden));
    for (std::int64_t direction = 0; direction < shape_.directions(); ++direction) {
      Cell& cell = cells_.emplace_back(shape_, operands_, layer, direction, entry_);
      std::vector<CellStep>& steps = steps_.emplace_back();
      for (std::int64_t taken = 0; taken < shape_.steps; ++taken) {
        const std::size_t step = step_taken(direction, taken);
        steps.push_back(cell.step(inputs_.back()[step]));
        for (std::size_t unit = 0; unit < cell.h().size(); ++unit) {
          y[step].set(static_cast<std::size_t>(direction * shape_.hidden) + unit,
                      cell.h().at(unit));
        }
      }
    }
    inputs_.push_back(std::move(y));
  }
}

Vector WayBack::last_gradient(std::size_t which, std::int64_t cell) const {
  if (!shape_.final || which >= static_cast<std::size_t>(shape_.states())) {
    return Vector(shape_.hidden);
  }
  const std::size_t operand = shape_.inputs().size() + 1 + which;
  return exact(operands_[operand].data() + (cell * shape_.batch + entry_) * shape_.hidden,
               shape_.hidden);
}

void WayBack::go_back() {
  const std::vector<float>& dy = operands_[shape_.inputs().size()];
  const auto units = static_cast<std::size_t>(shape_.hidden);
  for (std::int64_t step = 0; step < shape_.steps; ++step) {
    Vector& all = gradient_.emplace_back(shape_.directions() * shape_.hidden);
    for (std::int64_t direction = 0; direction < shape_.directions(); ++direction) {
      const float* values = dy.data() + result_begin(shape_, step, direction, entry_);
      std::copy(values, values + shape_.hidden, all.value.begin() + direction * shape_.hidden);
    }
  }
  h_.resize(cells_.size());
  c_.resize(cells_.size());
  for (std::int64_t layer = shape_.layers; layer-- > 0;) {
    std::vector<Vector> below(gradient_.size(), Vector(shape_.layer_inputs(layer)));
    for (std::int64_t direction = 0; direction < shape_.directions(); ++direction) {
      const std::int64_t cell = layer * shape_.directions() + direction;
      const auto place = static_cast<std::size_t>(cell);
      Vector dh = last_gradient(0, cell);
      Vector dc = last_gradient(1, cell);
      for (std::int64_t taken = shape_.steps; taken-- > 0;) {
        const std::size_t step = step_taken(direction, taken);
        for (std::size_t i = 0; i < units; ++i) {
          const Element of_result =
              gradient_[step].used_again(static_cast<std::size_t>(direction * shape_.hidden) + i);
          dh.set(i, dh.used_again(i) + of_result);
        }
        const CellStep& kept = steps_[place][static_cast<std::size_t>(taken)];
        const GateGradients gates = step_back(shape_, cells_[place], kept, dh, dc);
        add_inputs(below[step], cells_[place], gates);
        add_weights(cell, inputs_[static_cast<std::size_t>(layer)][step], kept, gates);
      }
      h_[place] = std::move(dh);
      c_[place] = std::move(dc);
    }
    gradient_ = std::move(below);
  }
}

void WayBack::add_inputs(Vector& inputs, const Cell& cell, const GateGradients& gates) const {
  ColumnSums sums(static_cast<std::int64_t>(inputs.size()));
  for (std::size_t gate = 0; gate < gates.of_input.size(); ++gate) {
    sums.add(cell.weights(static_cast<std::int64_t>(gate) * shape_.hidden), gates.of_input[gate]);
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) inputs.set(i, inputs.at(i) + sums.at(i));
}

void WayBack::add_weights(std::int64_t cell, const Vector& x, const CellStep& step,
                          const GateGradients& gates) {
  for (std::size_t index = 0; index < weights_.size(); ++index) {
    const WeightPlace& place = weights_[index];
    if (place.cell != cell) continue;
    const auto gate = static_cast<std::size_t>(place.row / shape_.hidden);
    const auto unit = static_cast<std::size_t>(place.row % shape_.hidden);
    const auto column = static_cast<std::size_t>(place.column);
    const bool of_state = place.operand == 2 || (place.operand == 3 && column == 1);
    const Element gradient = (of_state ? gates.of_state : gates.of_input)[gate].used_again(unit);
    if (place.operand == 3) {
      sums_[index].add(gradient);
      continue;
    }
    const bool reset = place.operand == 2 && gate == 2 && shape_.kind == RecurrentKind::gru &&
                       !shape_.linear_before_reset;
    const Vector& met = place.operand == 1 ? x : reset ? step.recurrent : step.h_before;
    sums_[index].add(gradient * met.used_again(column));
  }
}

}  // namespace benanza::verify
