#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/input/results.h"
#include "analysis/input/run_files.h"
#include "analysis/model/bounds.h"
#include "analysis/model/layer_time.h"
#include "analysis/model/whole.h"
#include "analysis/profile_match/comparison.h"
#include "analysis/questions/bound/ladder.h"
#include "analysis/questions/bound/seen.h"
#include "analysis/questions/common/subject.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// The answer of `bound` for one model, batch and precision.
struct BoundReport {
  const Graph* graph = nullptr;
  MeasurementFilter filter{};
  Movement movement = Movement::exclude;
  /// From which the times are; they live as long as the inputs.
  const MeasurementSet* measurements = nullptr;
  /// Per layer: operator_times().
  std::vector<LayerTime> times{};
  /// Operators that the exporter decomposed.
  std::vector<WholeChoice> wholes{};
  Coverage coverage{};
  Bounds bounds{};
  Bounds with_movement{};
  /// Layers whose movement has no time in `with_movement`: all that they do, or between their
  /// calls.
  std::size_t movement_without_time = 0;
  /// Of `bounds`.
  Assumed assumed{};
  std::vector<Comparison> comparisons{};
  Ladder ladder{};
  std::optional<LargeWeights> weights{};
  /// With profiles whose kernels count (--seen).
  std::optional<SeenBest> seen{};
  /// They live as long as the inputs.
  std::vector<const SequenceRun*> sequences{};
  std::vector<const PlanRun*> plans{};

  /// True if a layer that needs a time has none: the library refuses it, or it was not measured.
  bool is_partial() const { return analysis::is_partial(times, movement); }
};

BoundReport make_report(const Graph& graph, const MeasurementSet& measurements,
                        const MeasurementFilter& filter, Movement movement);

/// The same with everything that the inputs add: profiles, the ladder, sequences, plans. Throws
/// Error if measurements are missing that must not be, or for a profile of another model.
BoundReport full_report(const Subject& subject);

/// A layer in the bound; unknown values are empty. FLOPs are those of all layers that its call
/// does.
struct LayerRow {
  std::optional<double> seconds{};
  /// Share of the sequential bound; empty if the layer is not part of it.
  std::optional<double> share{};
  std::optional<double> flops_per_second{};
  bool on_critical_path = false;
};

/// Returns one row per layer of the report's graph.
std::vector<LayerRow> layer_rows(const BoundReport& report);

/// Everything that text, JSON, CSV and HTML show of the report. `peaks`: of the devices, for the
/// roofline.
Section bound_section(const BoundReport& report,
                      const std::map<std::string, PeakValues>& peaks = {});

/// Each adds what it says to text and facts.
/// The bound's calls timed as one, if they were.
void add_sequences(Section& section, const BoundReport& report);
/// floor <= bound <= predicted plan <= measured plan <= framework, and what each step costs.
void add_plans(Section& section, const BoundReport& report);
/// Where frameworks are faster than the plans.
void add_compared_parts(Section& section, const BoundReport& report);
/// The ladder; the layers by head-room are a table of their own.
void add_ladder(Section& section, const BoundReport& report);
Sheet head_room_sheet(const BoundReport& report);
/// The bound with the kernels of profiles, if there are any.
void add_seen(Section& section, const BoundReport& report);
/// Operators that the exporter decomposed, and what one call for each saves.
void add_wholes(Section& section, const BoundReport& report);
/// The frameworks' latencies beside the bounds, and what part of them the sequences take.
void add_latencies(Section& section, const BoundReport& report);
/// The frameworks' operators with the layers that they do, and all facts about their runs.
void add_losses(Section& section, const BoundReport& report);
/// What part of a framework's latency the sequences take.
void add_sequence_ratios(Section& section, const BoundReport& report, double latency_seconds);

/// The list of layers in JSON, and the rows of CSV.
nlohmann::ordered_json bound_layers(const BoundReport& report);
Sheet bound_csv(const BoundReport& report);

/// Plots: the slowest layers, layers on the roofline, time by throughput.
std::vector<Block> bound_plots(const BoundReport& report,
                               const std::map<std::string, PeakValues>& peaks);

/// What the report says of one layer beyond its row: the calls in the bound, and of every problem
/// that can be its call all variants measured at its precision, the fastest first. Lines of text.
std::string layer_details(const BoundReport& report, std::size_t layer);

/// The smallest sets of layers that steps of a plan do, and no others, and that operators of a
/// framework do, and no others. In seconds of a run.
struct ComparedPart {
  /// Ascending.
  std::vector<std::size_t> layers{};
  /// Of the plan's steps, with the conversions before them.
  double plan_seconds = 0;
  double framework_seconds = 0;
  std::vector<std::string> calls{};

  double lost_seconds() const { return plan_seconds - framework_seconds; }
};

/// Those that both do, first those in which the plan loses most. Empty if the run has no times of
/// its steps.
std::vector<ComparedPart> compared_parts(const Graph& graph, const PlanRun& run,
                                         const Comparison& comparison);

}  // namespace benanza::analysis
