#pragma once

#include <map>
#include <span>
#include <vector>

#include "core/problem/precision.h"

namespace benanza::harness {

/// The problems of the user's models. Each table holds the keys of one operator.
struct Registration {
  std::vector<std::span<const char* const>> problems;
  std::vector<Precision> precisions;
  /// Problems whose tensors a model's file stores in 8 bits, by what they are measured at, whatever
  /// the precisions.
  std::map<Precision, std::vector<std::span<const char* const>>> stored_problems = {};
};

}  // namespace benanza::harness

namespace benanza {

using harness::Registration;

/// Defined by the generated problems.cpp.
Registration registration();

}  // namespace benanza
