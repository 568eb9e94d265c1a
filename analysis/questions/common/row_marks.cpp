#include "analysis/questions/common/disturbed.h"

#include <fmt/format.h>

#include <set>

#include "analysis/model/whole.h"

namespace benanza::analysis {

Disturbed disturbed(const std::vector<LayerTime>& times, Movement movement) {
  Disturbed sum;
  std::set<const Measurement*> seen;
  for (const LayerTime& time : times) {
    if (time.status == LayerStatus::movement && movement == Movement::exclude) continue;
    for (const Measurement* const call : time.calls) {
      if (!seen.insert(call).second) continue;
      sum.rows += call->repetition_seconds.size();
      sum.disturbed += call->disturbed_repetitions;
      if (sum.first.empty()) sum.first = call->disturbance;
    }
  }
  return sum;
}

void add_disturbed(Section& section, const Graph& graph, const MeasurementSet& measurements,
                   const MeasurementFilter& filter, Movement movement) {
  // Mostly there are none at all.
  const Disturbed sum =
      measurements.any_disturbed()
          ? disturbed(operator_times(graph, measurements, filter, movement), movement)
          : Disturbed{};
  section.facts["disturbed_rows"] = sum.disturbed;
  if (sum.disturbed == 0) return;
  section.add(
      fmt::format("disturbed: {} of the {} rows that the bound rests on ({}{}), see docs/report.md",
                  sum.disturbed, sum.rows, sum.disturbed > 1 ? "first: " : "", sum.first));
}

}  // namespace benanza::analysis
