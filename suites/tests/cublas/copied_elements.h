#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/problem/ops/copy.h"

namespace benanza::cublas {

/// Where every element of the copy comes from and goes to, in elements.
inline std::vector<std::pair<std::int64_t, std::int64_t>> copied_elements(const Copy& copy) {
  std::vector<std::pair<std::int64_t, std::int64_t>> places;
  for (std::int64_t i = 0; i < element_count(copy.dims); ++i) {
    std::int64_t rest = i;
    std::int64_t from = 0;
    std::int64_t to = 0;
    for (std::size_t axis = copy.dims.size(); axis-- > 0;) {
      from += rest % copy.dims[axis] * copy.from[axis];
      to += rest % copy.dims[axis] * copy.to[axis];
      rest /= copy.dims[axis];
    }
    places.emplace_back(from, to);
  }
  return places;
}

}  // namespace benanza::cublas
