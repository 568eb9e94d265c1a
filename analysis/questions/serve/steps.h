#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/questions/common/subject.h"
#include "analysis/questions/serve/kind.h"
#include "analysis/questions/serve/plan_join.h"
#include "analysis/questions/serve/point.h"

namespace benanza::analysis {

/// The layers of one kind in a step.
struct KindPart {
  double seconds = 0;
  /// What they must take, and move: sums over the layers' own floors; empty if unknown.
  std::optional<double> floor_seconds{};
  std::optional<double> bytes{};
};

/// One step, or the mean over several.
struct ServingStep {
  /// The bound.
  double seconds = 0;
  /// As a plan; empty if no plan of a step of this phase was run.
  std::optional<double> planned_seconds{};
  /// The runs of plans from which planned_seconds is estimated; 0: it is that of a run of this
  /// step, or empty.
  std::size_t plans = 0;
  /// As of `bound`: of the whole step; empty if unknown.
  std::optional<double> floor_seconds{};
  std::optional<double> joules{};
  std::map<LayerKind, KindPart> kinds{};
  bool measured = false;

  /// As a plan or, if that is not known, the bound.
  double best_known() const { return planned_seconds.value_or(seconds); }
  /// What best_known() is: "as a plan, measured", "estimated from 3 plans", "bound only".
  std::string time_kind() const;
};

/// The measured steps of one phase of one variant of a model.
class StepGrid {
 public:
  StepGrid(ServingPhase phase, const std::vector<std::pair<ServingPoint, const Graph*>>& points,
           const Inputs& inputs, const MeasurementFilter& filter, const PlannedSeconds& planned);

  ServingPhase phase() const { return phase_; }
  /// Empty if no point could be used.
  bool empty() const { return seconds_.empty(); }
  const Grid& seconds() const { return seconds_; }
  const std::vector<Axis>& axes() const { return axes_; }
  /// The measured values on an axis, ascending.
  std::vector<std::int64_t> values_on(std::string_view axis) const;

  /// At a point; empty outside of the grid. `at` in the order of axes_of().
  std::optional<ServingStep> at(const std::vector<double>& at) const;
  /// The mean over the first axis from `from` to `to`.
  std::optional<ServingStep> mean(std::vector<double> at, double from, double to) const;

  /// Of the steps whose plans were run.
  const std::map<Place, double>& planned() const { return planned_; }
  /// The estimate of a step as a plan without the run of its own, and without its measured layers
  /// if `and_bound`. Empty if no other plan was run, or the step is outside of what is left.
  std::optional<double> planned_without(const Place& place, bool and_bound) const;

  /// Titles of the points that lack measurements and were left out.
  const std::vector<std::string>& incomplete() const { return incomplete_; }
  /// Names of the layers without a time at one point at least: left out at all, so that the steps
  /// are partial.
  const std::vector<std::string>& left_out() const { return left_out_; }
  /// Points whose floor is above their time.
  const std::vector<Place>& below_floor() const { return below_floor_; }

 private:
  void add(const Graph& graph, const Place& place, const std::vector<LayerTime>& times,
           const Inputs& inputs, const MeasurementFilter& filter);
  /// Plan to bound, of the plans that were run elsewhere than at `without`: of those of the batch,
  /// if there are two at least, else of all.
  std::vector<double> ratios(double batch, const Place& without) const;
  /// That of the plan that was run `at` the step, if it is `one`; else the bound times the median
  /// ratio.
  void add_planned(ServingStep& step, const std::vector<double>& at, bool one) const;
  /// Axis::limits of axes_.
  std::vector<std::vector<double>> limits() const;
  bool is_measured(const std::vector<double>& at) const;
  ServingStep step_of(const LayerSeconds& amounts, bool measured) const;

  ServingPhase phase_;
  Grid seconds_{};
  /// The seconds of each layer, then their floors, then their bytes, then the floor of the step;
  /// not a number: unknown.
  Grid amounts_{};
  /// Joules of the steps in which all calls have them.
  Grid joules_{};
  std::map<Place, double> planned_{};
  std::vector<Axis> axes_{};
  /// Those of amounts_ and joules_.
  std::vector<Axis> amount_axes_{};
  std::vector<Axis> joule_axes_{};
  std::vector<LayerKind> kinds_{};
  std::vector<std::string> incomplete_{};
  std::vector<std::string> left_out_{};
  std::vector<Place> below_floor_{};
};

}  // namespace benanza::analysis
