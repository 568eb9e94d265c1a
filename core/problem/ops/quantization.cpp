#include "core/problem/ops/quantization.h"

namespace benanza {

void Quantization::write(KeyWriter& writer) const {
  writer.dims("", input);
  if (axis >= 0) writer.integer("a", axis);
  if (fp8) writer.word("fp8");
}

Quantization Quantization::read(KeyReader& reader) {
  Quantization shape;
  shape.kind =
      reader.op() == "quantize" ? QuantizationKind::quantize : QuantizationKind::dequantize;
  shape.input = reader.dims("");
  if (reader.next_is_number("a")) {
    shape.axis = reader.integer("a");
    if (shape.axis < 0 || shape.axis >= static_cast<std::int64_t>(shape.input.size())) {
      reader.fail("an axis of the input");
    }
  }
  if (reader.next_is("fp8")) {
    reader.word();
    shape.fp8 = true;
  }
  return shape;
}

}  // namespace benanza
