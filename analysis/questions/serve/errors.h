#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/questions/serve/answer.h"
#include "analysis/questions/serve/plan_join.h"
#include "analysis/questions/serve/steps.h"
#include "analysis/render/page.h"

namespace benanza::analysis {

/// How good the estimates between measured points are: each point with neighbours on both sides,
/// left out and estimated from them.
struct ServingErrors {
  /// |estimate / measured - 1| of layers, and of the steps.
  std::vector<double> layers{};
  std::vector<double> steps{};
};
ServingErrors errors_of(const ServedVariant& served);

/// A measured step.
struct MeasuredStep {
  const StepGrid* grid = nullptr;
  Place place{};
  ServingStep step{};
  /// Of its estimates from its neighbours along the axes, the worst; empty at the grid's edges.
  std::optional<double> left_out_error{};

  std::string_view phase() const { return to_string(grid->phase()); }
  /// Empty if the phase has no such axis.
  std::optional<std::int64_t> on(std::string_view axis) const;
  double seconds() const { return step.seconds; }
  std::optional<double> floor_seconds() const { return step.floor_seconds; }
};
std::vector<MeasuredStep> measured_steps(const ServedVariant& served);

/// Points that would improve the estimates most.
struct NextPoints {
  /// "decode at past 2048, batch 8".
  std::string beside{};
  std::string_view axis{};
  /// Of the estimate there without its own measurement; empty if there are too few points to know.
  std::optional<double> error{};
  std::string command{};
};
/// Those between a point and its neighbours, of the points with the largest errors; of a grid with
/// two values on an axis and no error, the middle.
std::vector<NextPoints> next_points(const ServedVariant& served, const ServingQuery& query);

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
