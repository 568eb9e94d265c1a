#include "suites/verify/recurrent.h"

#include <cmath>
#include <map>

#include "suites/verify/operators.h"
#include "suites/verify/recurrent_cell.h"

namespace benanza::verify {
namespace {

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
