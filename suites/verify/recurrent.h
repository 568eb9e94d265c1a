#pragma once

#include "suites/verify/reference.h"

namespace benanza::verify {

/// The place of one element of a recurrent network's result.
struct RecurrentPlace {
  enum class Part { y, h, c };
  Part part = Part::y;
  /// Of y the last layer; of the states, the last step that the direction takes.
  std::int64_t layer = 0;
  std::int64_t step = 0;
  std::int64_t direction = 0;
  std::int64_t batch = 0;
  std::int64_t unit = 0;
};
/// `at`: coordinates in shape.output().
RecurrentPlace recurrent_place(const Recurrent& shape, const Dims& at);
Dims recurrent_coordinates(const Recurrent& shape, const RecurrentPlace& place);

/// Elements at the given coordinates: every sequence of the batch that one of them belongs to is
/// computed once, from its beginning.
std::vector<Element> elements(const Recurrent& shape, Operands operands,
                              const std::vector<Dims>& all);

/// Gradients: the way forward and back is computed once for each of the first two sequences of the
/// batch, and for those that are no multiples of them, which adjust_inputs() makes all others.
std::vector<Element> elements(const RecurrentGradient& shape, Operands operands,
                              const std::vector<Dims>& all);

/// The same element of the first or of the last sequence: another sequence costs as much as the
/// first one did.
Dims sampled_at(const Recurrent& shape, Dims at);

}  // namespace benanza::verify
