#include "core/problem/ops/lrn.h"

namespace benanza {

void Lrn::write(KeyWriter& writer) const {
  writer.dims("", input).integer("n", size).real("a", alpha).real("b", beta).real("k", k);
}

Lrn Lrn::read(KeyReader& reader) {
  Lrn shape;
  shape.input = reader.dims("");
  if (shape.input.size() < 2) reader.fail("an input with a channel axis");
  shape.size = reader.integer("n");
  if (shape.size < 1) reader.fail("a positive size");
  shape.alpha = reader.real("a");
  shape.beta = reader.real("b");
  shape.k = reader.real("k");
  return shape;
}

}  // namespace benanza
