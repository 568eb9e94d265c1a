#include "core/problem/ops/binary.h"

#include <algorithm>
#include <array>

namespace benanza {
namespace {

constexpr std::array<std::string_view, 14> ops{"add",   "sub", "mul", "div", "max", "min", "prelu",
                                               "power", "eq",  "ne",  "lt",  "le",  "gt",  "ge"};

}  // namespace

bool Binary::owns(std::string_view op) {
  return std::find(ops.begin(), ops.end(), op) != ops.end();
}

std::string_view Binary::op() const { return ops[static_cast<std::size_t>(kind)]; }

void Binary::write(KeyWriter& writer) const {
  writer.dims("", a).dims("", b);
  if (constant_b) writer.word("w");
}

Binary Binary::read(KeyReader& reader) {
  Binary shape;
  shape.kind =
      static_cast<BinaryKind>(std::find(ops.begin(), ops.end(), reader.op()) - ops.begin());
  shape.a = reader.dims("");
  shape.b = reader.dims("");
  if (shape.a.size() != shape.b.size()) reader.fail("operands of equal rank");
  for (std::size_t axis = 0; axis < shape.a.size(); ++axis) {
    if (shape.a[axis] != shape.b[axis] && shape.a[axis] != 1 && shape.b[axis] != 1) {
      reader.fail("operands that broadcast");
    }
  }
  shape.constant_b = reader.accept("w");
  return shape;
}

std::vector<Operand> Binary::inputs() const {
  return {{.name = "a",
           .dims = a,
           .domain = kind == BinaryKind::power ? Domain::positive : Domain::any},
          {.name = "b",
           .dims = b,
           .role = constant_b ? Role::weights : Role::data,
           .domain = kind == BinaryKind::div ? Domain::positive : Domain::any}};
}

Dims Binary::output() const {
  Dims dims(a.size());
  for (std::size_t axis = 0; axis < a.size(); ++axis) dims[axis] = std::max(a[axis], b[axis]);
  return dims;
}

}  // namespace benanza
