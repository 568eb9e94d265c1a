#include "suites/verify/recurrent.h"

#include <algorithm>
#include <cmath>

#include "suites/harness/int8_scale.h"
#include "suites/verify/operators.h"
#include "suites/verify/recurrent_cell.h"

namespace benanza::verify {
namespace {

/// The results of one sequence of the batch.
struct Sequence {
  /// Of the last layer: by step, both directions.
  std::vector<Vector> y;
  /// The last states of (layer, direction).
  std::vector<Vector> h;
  std::vector<Vector> c;
};

/// Computes the sequences of these entries of the batch, all of them together step by step.
std::vector<Sequence> solve(const Recurrent& shape, Operands operands,
                            const std::vector<std::int64_t>& entries, StoredStates stored) {
  Team team;
  std::vector<Sequence> all(entries.size());
  for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
    std::vector<std::vector<Vector>> y(
        entries.size(), std::vector<Vector>(static_cast<std::size_t>(shape.steps),
                                            Vector(shape.directions() * shape.hidden)));
    for (std::int64_t direction = 0; direction < shape.directions(); ++direction) {
      Cell cell(shape, operands, layer, direction, entries, team, stored);
      const auto keep = [&](std::int64_t taken) {
        const auto step = static_cast<std::size_t>(step_taken(shape, direction, taken));
        for (std::size_t i = 0; i < all.size(); ++i) {
          y[i][step].put(cell.h(i), static_cast<std::size_t>(direction * shape.hidden));
        }
      };
      if (layer == 0) {
        take_steps_of_input(shape, operands, direction, entries, cell,
                            [&](std::int64_t taken, const auto&) { keep(taken); });
      } else {
        std::vector<const Vector*> inputs(entries.size());
        for (std::int64_t taken = 0; taken < shape.steps; ++taken) {
          const auto step = static_cast<std::size_t>(step_taken(shape, direction, taken));
          for (std::size_t i = 0; i < all.size(); ++i) inputs[i] = &all[i].y[step];
          cell.step(inputs);
          keep(taken);
        }
      }
      for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].h.push_back(cell.h(i));
        all[i].c.push_back(cell.c(i));
      }
    }
    for (std::size_t i = 0; i < all.size(); ++i) all[i].y = std::move(y[i]);
  }
  return all;
}

std::vector<Element> elements(const Recurrent& shape, Operands operands,
                              const std::vector<Dims>& all, StoredStates stored) {
  std::vector<std::int64_t> entries;
  for (const Dims& at : all) entries.push_back(recurrent_place(shape, at).batch);
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  const std::vector<Sequence> sequences = solve(shape, operands, entries, stored);
  std::vector<Element> result;
  for (const Dims& at : all) {
    const RecurrentPlace place = recurrent_place(shape, at);
    const auto found = std::lower_bound(entries.begin(), entries.end(), place.batch);
    const Sequence& sequence = sequences[static_cast<std::size_t>(found - entries.begin())];
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

std::vector<std::vector<float>> in_real_units(const Recurrent& shape, Operands operands) {
  std::vector<std::vector<float>> values(operands.begin(), operands.end());
  for (std::size_t index = 0; index < values.size(); ++index) {
    const bool is_weights = index == 1 || index == 2;
    const bool is_bias = shape.bias && index == 3;
    for (float& value : values[index]) {
      if (is_weights) {
        value *= harness::int8_unit_of_weights(shape);
      } else if (is_bias) {
        value *= harness::int8_unit_of_bias;
      } else {
        value /= harness::int8_steps_of_data;
      }
    }
  }
  return values;
}

}  // namespace

std::vector<Element> elements(const Recurrent& shape, Operands operands,
                              const std::vector<Dims>& all) {
  return elements(shape, operands, all, StoredStates::as_floats);
}

std::vector<Element> byte_elements(const Recurrent& shape, Operands operands,
                                   const std::vector<Dims>& all) {
  return elements(shape, in_real_units(shape, operands), all, StoredStates::as_bytes);
}

double input_range(const Recurrent& shape, std::size_t operand) {
  constexpr std::size_t weights = 1;
  constexpr std::size_t recurrence = 2;
  // Gates are of the order of 1, and the recurrence forgets: the root of the sum of a row's squares
  // lies between 0.3 and 0.7. Otherwise small errors would grow from step to step, in any
  // precision.
  if (operand == weights) return 1 / std::sqrt(static_cast<double>(shape.input_size));
  if (operand == recurrence) return 0.5 / std::sqrt(static_cast<double>(shape.hidden));
  return 1;
}

}  // namespace benanza::verify
