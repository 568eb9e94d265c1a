#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "suites/harness/backend.h"
#include "suites/plan/planned_model.h"

namespace benanza::plan {

/// A plan with steps at the same time where that is faster.
struct Branches {
  /// Null if all steps wait for each other.
  std::unique_ptr<harness::Primitive> plan{};
  /// Groups of steps of which some need not wait for each other, and those that gain.
  std::size_t regions = 0;
  std::size_t faster_regions = 0;
  /// Of all regions, in order; and what those that gain save, each timed alone: what the whole plan
  /// should save.
  double in_order_seconds = 0;
  double gained_seconds = 0;
  /// A line.
  std::string text() const;
};

/// Times every region in order and with its steps at the same time. `model` needs Scratch::own and
/// must outlive the result; `stopwatch` is that of its backends. Throws Unsupported if the
/// libraries' calls cannot run at the same time.
Branches branches_of(const PlannedModel& model, harness::Stopwatch& stopwatch);

}  // namespace benanza::plan
