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

}  // namespace benanza::verify
