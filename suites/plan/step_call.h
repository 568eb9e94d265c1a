#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/plan_file/plan.h"
#include "suites/harness/backend.h"
#include "suites/harness/way.h"

namespace benanza::plan {

/// How a library makes a step's call.
struct StepCall {
  harness::Backend* backend = nullptr;
  harness::Variant variant;
  harness::Way way;
};

/// Throws Error or Unsupported, one line, if no library of these has it, or the way cannot read or
/// write its tensors in the step's strides.
StepCall step_call(const Plan& plan, const PlanStep& step,
                   std::span<harness::Backend* const> backends);

/// Which elements of its step's tensor a call makes.
struct Written {
  /// Of the first.
  std::size_t offset = 0;
  /// Of each, behind `offset`; empty: one after the other.
  std::vector<std::size_t> places{};
  /// What the call makes has the same gaps as `places`.
  bool has_gaps = false;

  /// Calls use(index in what the call makes, place) for each of `count` elements.
  template <class Use>
  void for_each(std::size_t count, const Use& use) const {
    if (places.empty()) {
      for (std::size_t index = 0; index < count; ++index) use(index, offset + index);
    }
    for (std::size_t index = 0; index < places.size(); ++index) {
      use(has_gaps ? places[index] : index, offset + places[index]);
    }
  }
};

Written written_by(const FlowCall& work);

}  // namespace benanza::plan
