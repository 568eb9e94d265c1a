#include "core/problem/ops/quantization.h"

namespace benanza {

void Quantization::map(KeyFields& fields) {
  if (const KeyReader* reader = fields.reader()) {
    kind = reader->op() == "quantize" ? QuantizationKind::quantize : QuantizationKind::dequantize;
  }
  fields.dims("", input);
  if (fields.has("a", axis >= 0)) {
    fields.integer("a", axis);
    fields.require(axis >= 0 && axis < static_cast<std::int64_t>(input.size()),
                   "an axis of the input");
  }
  fields.flag("fp8", fp8);
}

}  // namespace benanza
