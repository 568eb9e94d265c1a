#include "analysis/questions/bound/report.h"

#include <algorithm>
#include <iterator>

#include "analysis/profile_match/same_model.h"

namespace benanza::analysis {

namespace {

/// Layers whose copies between their calls have no time count without these. Returns how many.
std::size_t count_without_inner_moves(std::vector<LayerTime>& moved,
                                      const std::vector<LayerTime>& without) {
  std::size_t count = 0;
  for (std::size_t layer = 0; layer < moved.size(); ++layer) {
    if (moved[layer].seconds || without[layer].status != LayerStatus::measured) continue;
    moved[layer] = without[layer];
    ++count;
  }
  return count;
}

}  // namespace

BoundReport make_report(const Graph& graph, const MeasurementSet& measurements,
                        const MeasurementFilter& filter, Movement movement) {
  OperatorTimes operators = operators_of(graph, measurements, filter, movement);
  BoundReport report{.graph = &graph,
                     .filter = filter,
                     .movement = movement,
                     .measurements = &measurements,
                     .times = std::move(operators.layers),
                     .wholes = std::move(operators.wholes)};
  report.coverage = coverage(graph, report.times, filter.precision);
  report.assumed = assumed(graph, counted_seconds(report.times, movement));
  report.bounds = bounds(graph, report.times, movement);
  // Computing the interval dominates the run time, so reuse the bounds if they are equal.
  const bool moves_inside =
      !filter.inner_moves && std::ranges::any_of(graph.layers, [](const Layer& layer) {
        return !layer.inner_moves.empty();
      });
  const bool same = movement == Movement::include ||
                    (report.coverage.of(LayerStatus::movement).layers == 0 && !moves_inside);
  MeasurementFilter with_moves = filter;
  with_moves.inner_moves = true;
  std::vector<LayerTime> moved =
      same ? report.times : operator_times(graph, measurements, with_moves, Movement::include);
  const std::size_t without_inner = count_without_inner_moves(moved, report.times);
  report.with_movement = same ? report.bounds : bounds(graph, moved, Movement::include);
  report.movement_without_time = static_cast<std::size_t>(std::ranges::count_if(
                                     moved,
                                     [](const LayerTime& time) {
                                       return time.status == LayerStatus::movement && !time.seconds;
                                     })) +
                                 without_inner;
  return report;
}

BoundReport full_report(const Subject& subject) {
  BoundReport report =
      make_report(subject.graph, subject.measurements(), subject.filter, subject.movement());
  require_complete(subject, report.times);
  for (const Profile& profile : subject.inputs.profiles) {
    if (!is_of(profile, subject.graph)) continue;
    Comparison comparison = compare(subject.graph, report.times, report.bounds, profile);
    std::ranges::copy(
        differences(profile, subject.filter.precision, subject.inputs.results.systems),
        std::back_inserter(comparison.warnings));
    report.comparisons.push_back(std::move(comparison));
  }
  report.ladder =
      make_ladder(subject.graph, subject.measurements(), subject.filter, subject.movement(),
                  report.times, device_rates(subject.inputs.results, subject.filter));
  add_frameworks(report.ladder, subject.graph, report.comparisons);
  report.seen = make_seen(subject, report.ladder);
  report.sequences = sequences_of(subject);
  report.plans = plans_of(subject);
  report.weights = large_weights(subject);
  return report;
}

std::vector<LayerRow> layer_rows(const BoundReport& report) {
  std::vector<LayerRow> rows(report.times.size());
  for (std::size_t layer = 0; layer < rows.size(); ++layer) {
    const LayerTime& time = report.times[layer];
    std::optional<double> flops = report.graph->layers[layer].flops;
    if (!time.does.empty()) {
      flops = 0;
      for (const std::size_t member : time.does) {
        const std::optional<double>& more = report.graph->layers[member].flops;
        flops = flops && more ? std::optional(*flops + *more) : std::nullopt;
      }
    }
    rows[layer].seconds = time.seconds;
    if (is_counted(time, report.movement)) {
      rows[layer].share = *time.seconds / report.bounds.sequential.seconds;
    }
    if (!time.calls.empty() && flops && *flops > 0) {
      rows[layer].flops_per_second = *flops / *time.seconds;
    }
  }
  for (const std::size_t layer : report.bounds.path) rows[layer].on_critical_path = true;
  return rows;
}

}  // namespace benanza::analysis
