#include "core/problem/ops/layer_normalization.h"

namespace benanza {

void LayerNormalization::map(KeyFields& fields) {
  fields.numbers("", {&rows, &length}, "rows and their length").real("e", epsilon);
  bool both = scale && bias;
  fields.flag("sb", both);
  if (!both) fields.flag("s", scale).flag("b", bias);
  if (const KeyReader* reader = fields.reader()) {
    scale = scale || both;
    bias = bias || both;
    root_mean_square = reader->op() == "rmsnorm";
  }
}

std::vector<Operand> LayerNormalization::inputs() const {
  std::vector<Operand> operands{{.name = "input", .dims = {rows, length}}};
  if (scale) operands.push_back({.name = "scale", .dims = {length}, .role = Role::weights});
  if (bias) operands.push_back({.name = "bias", .dims = {length}, .role = Role::weights});
  return operands;
}

double LayerNormalization::flops() const {
  const double each = (root_mean_square ? 3 : 5) + (scale ? 1 : 0) + (bias ? 1 : 0);
  return each * static_cast<double>(rows) * static_cast<double>(length);
}

}  // namespace benanza
