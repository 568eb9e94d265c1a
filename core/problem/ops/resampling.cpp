#include "core/problem/ops/resampling.h"

#include <algorithm>
#include <cmath>

namespace benanza {

void Resampling::map(KeyFields& fields) {
  fields.dims("", input);
  fields.require(input.size() >= 3, "an input of n, c and at least one spatial axis");
  fields.dims("o", extents);
  fields.require(extents.size() + 2 == input.size(), "one extent per spatial axis");
  fields.require(std::ranges::all_of(extents, [](std::int64_t extent) { return extent >= 1; }),
                 "positive extents");
  fields.choice({"nearest", "linear"}, mode, "linear or nearest");
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
