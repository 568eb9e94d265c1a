#include "core/problem/ops/quantization.h"

namespace benanza {

void Quantization::write(KeyWriter& writer) const {
  writer.dims("", input);
  if (axis >= 0) writer.integer("a", axis);
}

Quantization Quantization::read(KeyReader& reader) {
  Quantization shape;
  shape.kind =
      reader.op() == "quantize" ? QuantizationKind::quantize : QuantizationKind::dequantize;
  shape.input = reader.dims("");
  if (!reader.next_is("a")) return shape;
  shape.axis = reader.integer("a");
  if (shape.axis < 0 || shape.axis >= static_cast<std::int64_t>(shape.input.size())) {
    reader.fail("an axis of the input");
  }
  return shape;
}

}  // namespace benanza
