#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/model/layer_time.h"
#include "analysis/questions/common/subject.h"
#include "analysis/questions/serve/plan_join.h"
#include "analysis/questions/serve/point.h"
#include "analysis/render/table.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// What a layer of a language model is for. Of a layer that could be several, the first.
enum class LayerKind { experts, attention, normalization, products, communication, other };
inline constexpr LayerKind layer_kinds[] = {LayerKind::experts,       LayerKind::attention,
                                            LayerKind::normalization, LayerKind::products,
                                            LayerKind::communication, LayerKind::other};
std::string_view to_string(LayerKind kind);

/// Per layer, by its operator and its calls. `times`: operator_times(); the layers of an operator
/// that one call does are of the call's kind.
std::vector<LayerKind> kinds_of(const Graph& graph, const std::vector<LayerTime>& times);

using MeasuredSteps = std::vector<const std::pair<ServingPoint, const Graph*>*>;

/// Axis::limits of the phase's axes: the tokens in the cache from which on a layer reads no more of
/// them, by a step in which it reads fewer than there are. Empty if no layer has a window.
std::vector<std::vector<double>> limits_of(ServingPhase phase, const MeasuredSteps& steps);

/// The columns that say which step a row is of; a `Row` has its phase, and its value on() an axis.
template <class Row>
Table<Row> step_table() {
  const auto on = [](std::string_view axis) {
    return [axis](const Row& row) { return row.on(axis); };
  };
  return {{"step", "phase", &Row::phase},
          {"batch", "batch", on("batch")},
          {"past", "past", on("past")},
          {"new", "new", on("new")}};
}

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
