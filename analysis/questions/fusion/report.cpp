#include "analysis/questions/fusion/report.h"

#include <algorithm>

namespace benanza::analysis {
namespace {

Verdict verdict_of(const FusionReport& report, std::size_t index, const FusionRow& row) {
  const Fusion& fusion = report.graph->fusions[index];
  const LayerTime& time = report.fusions[index];
  const bool in_cover = std::ranges::find(report.cover.pieces, index) != report.cover.pieces.end();
  if (in_cover) {
    const std::vector<std::size_t> wholes = report.operators.used();
    const bool in_bound = std::ranges::find(wholes, index) != wholes.end();
    return in_bound ? Verdict::in_bound : Verdict::used;
  }
  if (time.status == LayerStatus::missing) return Verdict::missing;
  if (time.status != LayerStatus::measured) return Verdict::unsupported;
  if (fusion.layers.size() == 1 && report.layers[fusion.layers.front()].fusion == fusion.pattern) {
    return Verdict::in_bound;
  }
  if (!row.alone_seconds) return Verdict::outdone;
  return *row.seconds < *row.alone_seconds ? Verdict::outdone : Verdict::does_not_pay;
}

std::vector<FusionRow> rows_of(const FusionReport& report) {
  std::vector<FusionRow> rows;
  for (std::size_t index = 0; index < report.fusions.size(); ++index) {
    FusionRow row{.seconds = report.fusions[index].seconds,
                  .alone_seconds =
                      seconds_apart(report.graph->fusions[index], report.layers, report.movement)};
    row.verdict = verdict_of(report, index, row);
    rows.push_back(row);
  }
  return rows;
}

/// Seconds saved by fusions of `pattern` if they were the only ones.
double profit_alone(const FusionReport& report, const std::string& pattern) {
  std::vector<bool> allowed;
  for (std::size_t index = 0; index < report.rows.size(); ++index) {
    allowed.push_back(report.graph->fusions[index].pattern == pattern &&
                      report.rows[index].alone_seconds.has_value());
  }
  const Cover nothing = fusion_cover(*report.graph, report.layers, report.fusions, report.movement,
                                     std::vector<bool>(allowed.size()));
  const Cover cover =
      fusion_cover(*report.graph, report.layers, report.fusions, report.movement, allowed);
  return nothing.seconds - cover.seconds;
}

std::vector<PatternRow> patterns_of(const FusionReport& report,
                                    const MeasurementSet& measurements) {
  Graph calls = *report.graph;
  calls.fusions.clear();
  const std::vector<LayerTime> call_by_call = layer_times(calls, measurements, report.filter);

  std::vector<PatternRow> patterns;
  for (std::size_t index = 0; index < report.rows.size(); ++index) {
    const Fusion& fusion = report.graph->fusions[index];
    auto found = std::ranges::find(patterns, fusion.pattern, &PatternRow::pattern);
    if (found == patterns.end()) {
      patterns.push_back({.pattern = fusion.pattern,
                          .profit_alone_seconds = profit_alone(report, fusion.pattern)});
      found = patterns.end() - 1;
    }
    const FusionRow& row = report.rows[index];
    ++found->found;
    if (row.verdict == Verdict::missing) ++found->missing;
    if (row.verdict == Verdict::unsupported) ++found->unsupported;
    if (row.seconds) ++found->measured;
    if (row.verdict == Verdict::used) {
      ++found->used;
      if (row.alone_seconds) found->profit_seconds += *row.alone_seconds - *row.seconds;
    }
    if (row.verdict == Verdict::in_bound && fusion.layers.size() > 1) {
      if (row.alone_seconds) found->in_bound_seconds += *row.alone_seconds - *row.seconds;
    } else if (row.verdict == Verdict::in_bound) {
      const std::size_t layer = fusion.layers.front();
      const std::optional<double>& calls_seconds = call_by_call[layer].seconds;
      if (calls_seconds) found->in_bound_seconds += *calls_seconds - *report.layers[layer].seconds;
    }
  }
  return patterns;
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  constexpr std::string_view names[] = {"used",         "in the bound", "outdone",
                                        "does not pay", "unsupported",  "missing"};
  return names[static_cast<std::size_t>(verdict)];
}

std::string parallel_fusions_text(const FusionReport& report) {
  const auto is_used = [&](std::size_t fusion) {
    return std::ranges::find(report.cover.pieces, fusion) != report.cover.pieces.end();
  };
  const auto shared = std::ranges::count_if(report.in_parallel, is_used);
  return "the parallel bound uses " + std::to_string(report.in_parallel.size()) + ", " +
         std::to_string(shared) +
         " of them of this cover: those given up join branches and make its path longer";
}

std::size_t FusionReport::fused_by_framework() const {
  if (!framework) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(
      cover.pieces, [&](std::size_t piece) { return framework->fused[piece]; }));
}

double FusionReport::profit_of_framework_seconds() const {
  double profit = 0;
  for (const std::size_t piece : cover.pieces) {
    const FusionRow& row = rows[piece];
    const bool is_gain = row.verdict == Verdict::used && row.seconds && row.alone_seconds;
    if (framework && framework->fused[piece] && is_gain) {
      profit += *row.alone_seconds - *row.seconds;
    }
  }
  return profit;
}

bool FusionReport::lacks_fusions() const {
  return std::ranges::any_of(
      fusions, [](const LayerTime& time) { return time.status == LayerStatus::missing; });
}

FusionReport make_fusion_report(const Graph& graph, const MeasurementSet& measurements,
                                const MeasurementFilter& filter, Movement movement) {
  FusionReport report{.graph = &graph,
                      .filter = filter,
                      .movement = movement,
                      .operators = operators_of(graph, measurements, filter, movement),
                      .layers = layer_times(graph, measurements, filter),
                      .fusions = fusion_times(graph, measurements, filter)};
  report.cover = fusion_cover(graph, report.layers, report.fusions, movement);
  report.unfused = bounds(graph, report.operators.layers, movement);
  report.in_parallel = parallel_fusions(graph, report.layers, report.fusions, movement,
                                        report.cover, report.operators.used());
  const auto bounds_with = [&](const std::vector<std::size_t>& used) {
    const FusedGraph fused = fused_graph(graph, report.layers, report.fusions, used);
    return bounds(fused.graph, fused.times, movement);
  };
  report.fused = bounds_with(report.cover.pieces);
  if (report.has_other_fusions_in_parallel()) {
    Bounds parallel = bounds_with(report.in_parallel);
    report.fused.parallel = parallel.parallel;
    report.fused.path = std::move(parallel.path);
  }
  std::vector<bool> is_fused(graph.layers.size());
  for (const std::size_t fusion : report.cover.pieces) {
    for (const std::size_t layer : graph.fusions[fusion].layers) is_fused[layer] = true;
  }
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    if (!lacks_time(report.operators.layers[layer], movement)) continue;
    (is_fused[layer] ? report.only_fused : report.in_neither).push_back(layer);
  }
  report.rows = rows_of(report);
  report.patterns = patterns_of(report, measurements);
  return report;
}

}  // namespace benanza::analysis
