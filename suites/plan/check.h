#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/plan_file/plan.h"
#include "suites/harness/backend.h"

namespace benanza::plan {

/// A step whose call the libraries at hand do not have, or refuse.
struct ChangedStep {
  std::size_t step = 0;
  /// One line.
  std::string reason{};
};

/// Looks up every step's call by its name, and sets it up alone. In the order of the steps.
std::vector<ChangedStep> changed_steps(const Plan& plan,
                                       std::span<harness::Backend* const> backends);

/// What differs between the systems of the plan's results and these: "onednn_version 2.6.3, here
/// 3.2.0". Only of backends whose calls the plan has.
std::vector<std::string> changed_systems(const Plan& plan,
                                         std::span<harness::Backend* const> backends);

/// The answer of bench_plan --check: differing systems, the changed steps, and the command that
/// measures those again.
std::string check_text(const Plan& plan, const std::vector<std::string>& systems,
                       const std::vector<ChangedStep>& steps);

}  // namespace benanza::plan
