#pragma once

#include <cstddef>
#include <vector>

#include "generator/lowered/lowered.h"

namespace benanza {

/// Whether another of a layer's calls reads the result of call `index`.
bool is_read(const std::vector<Call>& calls, std::size_t index);

/// Removes a call; who reads its result reads `instead`.
void erase_call(std::vector<Call>& calls, std::size_t index, const Source& instead);

/// The copy of all that the call reads to all that it makes; null if it is none.
const Copy* copy_of_all(const Call& call);

}  // namespace benanza
