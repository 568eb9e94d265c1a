#include "analysis/questions/bound/layer_row.h"

namespace benanza::analysis {

std::vector<LayerRow> layer_rows(const BoundReport& report) {
  std::vector<LayerRow> rows(report.times.size());
  for (std::size_t layer = 0; layer < rows.size(); ++layer) {
    const LayerTime& time = report.times[layer];
    const std::optional<double> flops = report.graph->layers[layer].flops;
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
