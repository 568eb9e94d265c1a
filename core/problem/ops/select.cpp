#include "core/problem/ops/select.h"

#include <algorithm>

namespace benanza {
namespace {

void write_alternative(KeyWriter& writer, const std::string& name,
                       const Select::Alternative& alternative) {
  if (alternative.value) {
    writer.real('v' + name, *alternative.value);
    return;
  }
  writer.dims(name, alternative.dims);
  if (alternative.constant) writer.word("w");
}

Select::Alternative read_alternative(KeyReader& reader, const std::string& name) {
  Select::Alternative alternative;
  if (reader.next_is('v' + name)) {
    alternative.value = reader.limit('v' + name);
    return alternative;
  }
  alternative.dims = reader.dims(name);
  alternative.constant = reader.accept("w");
  return alternative;
}

}  // namespace

void Select::write(KeyWriter& writer) const {
  writer.dims("", condition);
  if (constant_condition) writer.word("w");
  write_alternative(writer, "a", a);
  write_alternative(writer, "b", b);
}

Select Select::read(KeyReader& reader) {
  Select shape;
  shape.condition = reader.dims("");
  shape.constant_condition = reader.accept("w");
  shape.a = read_alternative(reader, "a");
  shape.b = read_alternative(reader, "b");
  const std::vector<Operand> operands = shape.inputs();
  for (const Operand& operand : operands) {
    if (operand.dims.size() != shape.condition.size()) reader.fail("operands of equal rank");
  }
  const Dims result = shape.output();
  for (const Operand& operand : operands) {
    for (std::size_t axis = 0; axis < result.size(); ++axis) {
      if (operand.dims[axis] != result[axis] && operand.dims[axis] != 1) {
        reader.fail("operands that broadcast");
      }
    }
  }
  return shape;
}

std::vector<Operand> Select::inputs() const {
  const auto role = [](bool constant) { return constant ? Role::weights : Role::data; };
  std::vector<Operand> operands{{.name = "condition",
                                 .dims = condition,
                                 .role = role(constant_condition),
                                 .domain = Domain::truth}};
  if (!a.value) operands.push_back({.name = "a", .dims = a.dims, .role = role(a.constant)});
  if (!b.value) operands.push_back({.name = "b", .dims = b.dims, .role = role(b.constant)});
  return operands;
}

Dims Select::output() const {
  Dims dims = condition;
  for (const Alternative* alternative : {&a, &b}) {
    if (alternative->value) continue;
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
      dims[axis] = std::max(dims[axis], alternative->dims[axis]);
    }
  }
  return dims;
}

}  // namespace benanza
