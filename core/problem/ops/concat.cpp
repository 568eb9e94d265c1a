#include "core/problem/ops/concat.h"

namespace benanza {

void Concat::map(KeyFields& fields) {
  const KeyReader* const reader = fields.reader();
  if (reader != nullptr) {
    while (!reader->at_end() && !reader->next_is("a")) fields.dims("", parts.emplace_back());
  } else {
    for (Dims& part : parts) fields.dims("", part);
  }
  fields.integer("a", axis);
  if (reader == nullptr) return;
  fields.require(
      !parts.empty() && axis >= 0 && axis < static_cast<std::int64_t>(parts.front().size()),
      "parts and one of their axes");
  for (Dims part : parts) {
    const auto joined = static_cast<std::size_t>(axis);
    if (part.size() == parts.front().size()) part[joined] = parts.front()[joined];
    fields.require(part == parts.front(), "parts that differ along the axis only");
  }
}

std::vector<Operand> Concat::inputs() const {
  std::vector<Operand> operands;
  for (const Dims& part : parts) operands.push_back({.name = "part", .dims = part});
  return operands;
}

Dims Concat::output() const {
  Dims dims = parts.front();
  const auto joined = static_cast<std::size_t>(axis);
  dims[joined] = 0;
  for (const Dims& part : parts) dims[joined] = saturated_sum(dims[joined], part[joined]);
  return dims;
}

}  // namespace benanza
