#pragma once

#include <cstddef>
#include <vector>

#include "suites/harness/primitive.h"

namespace benanza::harness {

/// Calls that run one after the other, and which tasks have to be done before.
struct Task {
  std::vector<Primitive*> calls{};
  /// Indices of earlier tasks.
  std::vector<std::size_t> after{};
};

}  // namespace benanza::harness
