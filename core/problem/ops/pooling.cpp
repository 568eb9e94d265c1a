#include "core/problem/ops/pooling.h"

namespace benanza {

void Pooling::write(KeyWriter& writer) const {
  writer.dims("", input);
  window.write(writer);
  if (mode == PoolingMode::average_include_pad) writer.word("include");
  if (mode == PoolingMode::average_exclude_pad) writer.word("exclude");
}

Pooling Pooling::read(KeyReader& reader) {
  Pooling shape;
  shape.input = reader.dims("");
  if (shape.input.size() < 3) reader.fail("an input of n, c and at least one spatial axis");
  Dims none;
  shape.window = Window::read(reader, spatial(shape.input), 0, none);
  constexpr std::int64_t most = std::int64_t{1} << 31;
  if (element_count(shape.window.kernel) > most) {
    reader.too_large("a window of more than 2^31 elements");
  }
  if (reader.op() == "avgpool") {
    shape.mode = reader.accept("include") ? PoolingMode::average_include_pad
                                          : PoolingMode::average_exclude_pad;
    if (shape.mode == PoolingMode::average_exclude_pad && !reader.accept("exclude")) {
      reader.fail("include or exclude");
    }
  }
  return shape;
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
