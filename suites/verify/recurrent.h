#pragma once

#include "suites/verify/reference.h"

namespace benanza::verify {

/// The position of one element of a recurrent network's result.
struct RecurrentPlace {
  enum class Part { y, h, c };
  Part part = Part::y;
  /// For y, the last layer; for the states, `step` is the last one that the direction takes.
  std::int64_t layer = 0;
  std::int64_t step = 0;
  std::int64_t direction = 0;
  std::int64_t batch = 0;
  std::int64_t unit = 0;
};
/// `at` are coordinates in shape.output().
RecurrentPlace recurrent_place(const Recurrent& shape, const Dims& at);
Dims recurrent_coordinates(const Recurrent& shape, const RecurrentPlace& place);

/// Computes the elements at the given coordinates. Every sequence of the batch that contains one of
/// them is computed once, from its start.
std::vector<Element> elements(const Recurrent& shape, Operands operands,
                              const std::vector<Dims>& all);

/// The same of whole numbers (harness/int8_scale.h), in real units. States are stored as
/// bytes: `carried` is how much the element changes if each of them is off by 1.
std::vector<Element> byte_elements(const Recurrent& shape, Operands operands,
                                   const std::vector<Dims>& all);

/// Gradients: one forward and backward pass for each of the first two sequences of the batch, and
/// for those that are not multiples of them. adjust_inputs() makes all others multiples.
std::vector<Element> elements(const RecurrentGradient& shape, Operands operands,
                              const std::vector<Dims>& all);

/// Moves the element to the first or last sequence, because every further sequence costs as much as
/// the first.
Dims sampled_at(const Recurrent& shape, Dims at);

}  // namespace benanza::verify
