#pragma once

#include <cstddef>
#include <vector>

#include "analysis/model/joined_tensors.h"
#include "analysis/model/plan.h"
#include "analysis/model/planned_tensors.h"

namespace benanza::analysis {

/// A concatenation of a plan that needs no step.
struct PlannedJoin {
  JoinedTensor joined;
  /// The steps before it.
  std::size_t before_step = 0;
  /// Those that would do it, with operands in the order of its parts.
  std::vector<const Measurement*> calls{};
};

/// Chooses a call for each step, of its `candidates`, and how joined tensors lie in memory, which
/// take least together with the conversions between formats. Returns the layers of `joins` whose
/// own call takes less: the plan has to be made again with these apart.
std::vector<std::size_t> choose_calls(
    Plan& plan, const PlannedTensors& places,
    const std::vector<std::vector<const Measurement*>>& candidates,
    const std::vector<PlannedJoin>& joins, Precision precision, const ConversionCosts& costs);

}  // namespace benanza::analysis
