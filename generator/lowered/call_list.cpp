#include "generator/lowered/call_list.h"

#include <algorithm>

namespace benanza {

bool is_read(const std::vector<Call>& calls, std::size_t index) {
  return std::ranges::any_of(calls, [&](const Call& call) {
    return std::ranges::any_of(call.operands, [&](const Source& source) {
      return source.kind == Source::Kind::call && static_cast<std::size_t>(source.index) == index;
    });
  });
}

void erase_call(std::vector<Call>& calls, std::size_t index, const Source& instead) {
  calls.erase(calls.begin() + static_cast<std::ptrdiff_t>(index));
  for (Call& call : calls) {
    for (Source& source : call.operands) {
      if (source.kind != Source::Kind::call || static_cast<std::size_t>(source.index) < index) {
        continue;
      }
      if (static_cast<std::size_t>(source.index) > index) {
        --source.index;
        continue;
      }
      const Source before = source;
      source = instead;
      source.scale *= before.scale;
      source.matrix_rows = before.matrix_rows;
      if (before.part_from) source.part_from = source.part_from.value_or(0) + *before.part_from;
    }
  }
}

const Copy* copy_of_all(const Call& call) {
  const bool is_part = call.is_proxy || call.writes_part || call.in_place;
  return is_part ? nullptr : std::get_if<Copy>(&call.problem.shape);
}

}  // namespace benanza
