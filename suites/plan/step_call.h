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

/// An element that a call makes, and where it is in the tensor of its step.
struct Written {
  std::size_t made = 0;
  std::size_t place = 0;
};

/// Of a call that makes `count` elements.
std::vector<Written> written_elements(const FlowCall& work, std::size_t count);

}  // namespace benanza::plan
