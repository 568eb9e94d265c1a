#include "analysis/questions/bound/report.h"

namespace benanza::analysis {

BoundReport make_report(const Graph& graph, const MeasurementSet& measurements,
                        const Choice& choice, Movement movement) {
  BoundReport report{.graph = &graph,
                     .choice = choice,
                     .movement = movement,
                     .times = layer_times(graph, measurements, choice)};
  report.coverage = coverage(graph, report.times, choice.precision);
  report.assumed = assumed(graph, counted_seconds(report.times, movement));
  report.bounds = bounds(graph, report.times, movement);
  // The interval takes longer than everything else: not twice for the same.
  const bool same =
      movement == Movement::include || report.coverage.of(Standing::movement).layers == 0;
  report.with_movement = same ? report.bounds : bounds(graph, report.times, Movement::include);
  return report;
}

}  // namespace benanza::analysis
