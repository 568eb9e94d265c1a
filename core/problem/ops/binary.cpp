#include "core/problem/ops/binary.h"

#include <algorithm>
#include <array>

namespace benanza {
namespace {

constexpr std::array<std::string_view, 14> binary_ops{
    "add", "sub", "mul", "div", "max", "min", "prelu", "power", "eq", "ne", "lt", "le", "gt", "ge"};

}  // namespace

bool Binary::owns(std::string_view op) {
  return std::ranges::find(binary_ops, op) != binary_ops.end();
}

std::string_view Binary::op() const { return binary_ops[static_cast<std::size_t>(kind)]; }

void Binary::map(KeyFields& fields) {
  if (const KeyReader* reader = fields.reader()) {
    kind =
        static_cast<BinaryKind>(std::ranges::find(binary_ops, reader->op()) - binary_ops.begin());
  }
  fields.dims("", a).dims("", b);
  fields.require(a.size() == b.size(), "operands of equal rank");
  for (std::size_t axis = 0; fields.reader() != nullptr && axis < a.size(); ++axis) {
    fields.require(a[axis] == b[axis] || a[axis] == 1 || b[axis] == 1, "operands that broadcast");
  }
  fields.flag("w", constant_b);
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
