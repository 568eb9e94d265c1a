#include "core/problem/ops/softmax.h"

namespace benanza {

Softmax Softmax::read(KeyReader& reader) {
  Softmax shape;
  shape.input = reader.dims("");
  shape.axis = reader.integer("a");
  if (shape.axis < 0 || shape.axis >= static_cast<std::int64_t>(shape.input.size())) {
    reader.fail("an axis of the input");
  }
  shape.logarithm = reader.op() == "logsoftmax";
  return shape;
}

}  // namespace benanza
