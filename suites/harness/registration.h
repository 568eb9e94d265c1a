#pragma once

#include <span>
#include <vector>

#include "core/problem/precision.h"

namespace benanza::harness {

/// The problems of the user's models. Each table holds the keys of one operator.
struct Registration {
  std::vector<std::span<const char* const>> problems;
  std::vector<Precision> precisions;
  /// Problems whose tensors a model's file stores as int8: measured at int8, whatever the
  /// precisions.
  std::vector<std::span<const char* const>> int8_problems = {};
};

}  // namespace benanza::harness

namespace benanza {

using harness::Registration;

/// Defined by the generated problems.cpp.
Registration registration();

}  // namespace benanza
