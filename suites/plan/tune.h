#pragma once

#include <cstddef>
#include <span>

#include "suites/harness/backend.h"
#include "suites/plan/planned_model.h"

namespace benanza::plan {

/// A plan whose calls were exchanged, and what that gained.
struct Tuned {
  Plan plan;
  /// Of the whole, in seconds, of what was given and of the best.
  double before = 0;
  double after = 0;
  /// Exchanges tried, and kept.
  std::size_t tried = 0;
  std::size_t kept = 0;
};

/// Exchanges calls for the alternatives that the plan names, as long as the whole gets faster: all
/// calls of another layout at once, then one step at a time, first those that lose most in the
/// plan. Each is compared with the best so far in alternate runs. Stops after `seconds`. A call
/// that is refused is no alternative. Throws what PlannedModel throws for the plan itself.
Tuned tune(const Plan& plan, std::span<harness::Backend* const> backends, const Values* values,
           double seconds, harness::Allocator* memory = nullptr);

}  // namespace benanza::plan
