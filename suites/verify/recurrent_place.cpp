#include "suites/verify/coordinates.h"
#include "suites/verify/recurrent.h"

namespace benanza::verify {

RecurrentPlace recurrent_place(const Recurrent& shape, const Dims& at) {
  const std::vector<Dims> parts = shape.results();
  const bool sequence = at[0] < shape.steps;
  if (sequence) {
    const Dims where = unravel(at[0] * shape.output()[1] + at[1], parts[0]);
    return {.part = RecurrentPlace::Part::y,
            .layer = shape.layers - 1,
            .step = where[shape.batch_first ? 1 : 0],
            .direction = where[shape.batch_first ? 2 : 1],
            .batch = where[shape.batch_first ? 0 : 2],
            .unit = where[3]};
  }
  const std::int64_t row = at[0] - shape.steps;
  const Dims where = unravel(at[1], {shape.directions(), shape.batch, shape.hidden});
  const bool backward = shape.direction == RecurrentDirection::reverse || where[0] == 1;
  return {.part = row < shape.layers ? RecurrentPlace::Part::h : RecurrentPlace::Part::c,
          .layer = row % shape.layers,
          .step = backward ? 0 : shape.steps - 1,
          .direction = where[0],
          .batch = where[1],
          .unit = where[2]};
}

Dims recurrent_coordinates(const Recurrent& shape, const RecurrentPlace& place) {
  const std::int64_t row = shape.output()[1];
  if (place.part == RecurrentPlace::Part::y) {
    const Dims extents = shape.results()[0];
    const Dims at = shape.batch_first ? Dims{place.batch, place.step, place.direction, place.unit}
                                      : Dims{place.step, place.direction, place.batch, place.unit};
    const std::int64_t flat = ravel_broadcast(at, extents);
    return {flat / row, flat % row};
  }
  const std::int64_t cells = place.part == RecurrentPlace::Part::c ? shape.layers : 0;
  return {shape.steps + cells + place.layer,
          (place.direction * shape.batch + place.batch) * shape.hidden + place.unit};
}

Dims sampled_at(const Recurrent& shape, Dims at) {
  RecurrentPlace place = recurrent_place(shape, at);
  place.batch = 2 * place.batch < shape.batch ? 0 : shape.batch - 1;
  return recurrent_coordinates(shape, place);
}

}  // namespace benanza::verify
