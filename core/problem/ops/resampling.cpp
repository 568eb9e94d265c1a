#include "core/problem/ops/resampling.h"

#include <cmath>

namespace benanza {

void Resampling::write(KeyWriter& writer) const {
  writer.dims("", input).dims("o", extents);
  writer.word(mode == ResamplingMode::linear ? "linear" : "nearest");
}

Resampling Resampling::read(KeyReader& reader) {
  Resampling shape;
  shape.input = reader.dims("");
  if (shape.input.size() < 3) reader.fail("an input of n, c and at least one spatial axis");
  shape.extents = reader.dims("o");
  if (shape.extents.size() + 2 != shape.input.size()) reader.fail("one extent per spatial axis");
  for (const std::int64_t extent : shape.extents) {
    if (extent < 1) reader.fail("positive extents");
  }
  shape.mode = reader.accept("linear") ? ResamplingMode::linear : ResamplingMode::nearest;
  if (shape.mode == ResamplingMode::nearest && !reader.accept("nearest")) {
    reader.fail("linear or nearest");
  }
  return shape;
}

Dims Resampling::output() const {
  Dims dims{input[0], input[1]};
  dims.insert(dims.end(), extents.begin(), extents.end());
  return dims;
}

double Resampling::flops() const {
  if (mode == ResamplingMode::nearest) return 0;
  const double neighbours = std::exp2(static_cast<double>(extents.size()));
  return 2 * neighbours * static_cast<double>(element_count(output()));
}

}  // namespace benanza
