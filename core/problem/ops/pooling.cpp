#include "core/problem/ops/pooling.h"

namespace benanza {

void Pooling::map(KeyFields& fields) {
  fields.dims("", input);
  fields.require(input.size() >= 3, "an input of n, c and at least one spatial axis");
  window.map(fields, input);
  if (KeyReader* reader = fields.reader()) {
    constexpr std::int64_t most = std::int64_t{1} << 31;
    if (element_count(window.kernel) > most) {
      reader->too_large("a window of more than 2^31 elements");
    }
    mode = reader->op() == "avgpool" ? PoolingMode::average_exclude_pad : PoolingMode::max;
  }
  if (mode == PoolingMode::max) return;
  bool excludes = mode == PoolingMode::average_exclude_pad;
  fields.choice({"include", "exclude"}, excludes, "include or exclude");
  if (fields.reader() != nullptr && !excludes) mode = PoolingMode::average_include_pad;
}

Dims Pooling::output() const {
  Dims dims{input[0], input[1]};
  const Dims extents = window.output(spatial(input));
  dims.insert(dims.end(), extents.begin(), extents.end());
  return dims;
}

double Pooling::flops() const {
  return static_cast<double>(element_count(output())) *
         static_cast<double>(element_count(window.kernel));
}

}  // namespace benanza
