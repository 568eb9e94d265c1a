#include "core/problem/ops/layer_normalization.h"

namespace benanza {

void LayerNormalization::write(KeyWriter& writer) const {
  writer.dims("", {rows, length}).real("e", epsilon);
  if (scale || bias) writer.word(scale ? (bias ? "sb" : "s") : "b");
}

LayerNormalization LayerNormalization::read(KeyReader& reader) {
  LayerNormalization shape;
  const Dims dims = reader.dims("");
  if (dims.size() != 2) reader.fail("rows and their length");
  shape.rows = dims[0];
  shape.length = dims[1];
  shape.epsilon = reader.real("e");
  const bool both = reader.accept("sb");
  shape.scale = both || reader.accept("s");
  shape.bias = both || reader.accept("b");
  shape.root_mean_square = reader.op() == "rmsnorm";
  return shape;
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
