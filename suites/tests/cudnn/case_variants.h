#pragma once

#include <vector>

#include "suites/tests/cases/case_tests.h"

namespace benanza::cudnn {

/// The variants of CASES/FILE.cases that are problems of a Shape and not refused; `layout` where a
/// line names none.
template <class Shape>
std::vector<harness::Variant> variants_of(const char* file, Layout layout = Layout::plain) {
  std::vector<harness::Variant> all;
  for (const harness::Case& one : harness::cases_in(CASES, file)) {
    if (!std::holds_alternative<Shape>(one.problem.shape)) continue;
    if (one.expected == harness::Expectation::unsupported) continue;
    all.push_back({one.problem, one.precision.value(), one.layout.value_or(layout), {}});
  }
  return all;
}

}  // namespace benanza::cudnn
