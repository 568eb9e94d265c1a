#include "core/problem/ops/select.h"

#include <algorithm>

namespace benanza {
namespace {

void map_alternative(KeyFields& fields, const std::string& name, Select::Alternative& alternative) {
  const KeyReader* const reader = fields.reader();
  if (reader != nullptr && reader->next_is('v' + name)) alternative.value = 0;
  if (alternative.value) {
    fields.limit('v' + name, *alternative.value);
  } else {
    fields.dims(name, alternative.dims).flag("w", alternative.constant);
  }
}

}  // namespace

void Select::map(KeyFields& fields) {
  fields.dims("", condition).flag("w", constant_condition);
  map_alternative(fields, "a", a);
  map_alternative(fields, "b", b);
  if (fields.reader() == nullptr) return;
  const std::vector<Operand> operands = inputs();
  for (const Operand& operand : operands) {
    fields.require(operand.dims.size() == condition.size(), "operands of equal rank");
  }
  const Dims result = output();
  for (const Operand& operand : operands) {
    fields.require(broadcasts_to(operand.dims, result), "operands that broadcast");
  }
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
