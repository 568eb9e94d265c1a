#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/questions/serve/answer.h"
#include "analysis/questions/serve/plan_join.h"
#include "analysis/render/page.h"

namespace benanza::analysis {

/// A step whose plan was run, and its estimate without that run.
struct PlanError {
  ServingPhase phase = ServingPhase::decode;
  Place place{};
  double bound_seconds = 0;
  double seconds = 0;
  /// Empty if no other plan of the phase was run.
  std::optional<double> estimate{};
  /// The step's bound is left out, too, and estimated from its neighbours; false at the grid's
  /// edges, where it has none.
  bool without_bound = false;

  /// Empty if the phase has no such axis.
  std::optional<std::int64_t> on(std::string_view axis) const;
  double ratio() const { return seconds / bound_seconds; }
  /// |estimate / measured - 1|.
  std::optional<double> error() const;
  std::string_view left_out() const { return without_bound ? "plan and bound" : "plan"; }
};
std::vector<PlanError> plan_errors(const ServedVariant& served);

/// Says of what kind the times are, and how good those are that plans correct.
void add_plans(Section& section, const ServedVariant& served);
/// The errors of all models together, and the runs that count for no step. `errors`: plan_errors()
/// of each variant.
Section runs_section(const PlannedRuns& runs, const std::vector<PlanError>& errors);

}  // namespace benanza::analysis
