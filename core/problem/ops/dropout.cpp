#include "core/problem/ops/dropout.h"

namespace benanza {

Dropout Dropout::read(KeyReader& reader) {
  Dropout shape;
  shape.input = reader.dims("");
  shape.ratio = reader.real("r");
  if (!(shape.ratio >= 0 && shape.ratio < 1)) reader.fail("a ratio from 0 to below 1");
  return shape;
}

}  // namespace benanza
