#include <fmt/format.h>

#include "analysis/render/csv.h"
#include "analysis/questions/fusion/report.h"

namespace benanza::analysis {
std::string fusion_csv(const FusionReports& reports) {
  std::string text =
      "model,batch,precision,pattern,layers,problem,verdict,seconds,alone_seconds,saves_seconds,"
      "call,note\n";
  for (const FusionReport& report : reports.reports) {
    for (std::size_t index = 0; index < report.rows.size(); ++index) {
      const FusionRow& row = report.rows[index];
      const Fusion& fusion = report.graph->fusions[index];
      const LayerTime& time = report.fusions[index];
      std::string layers;
      for (const std::size_t layer : fusion.layers) {
        layers += (layers.empty() ? "" : " ") + report.graph->layers[layer].name;
      }
      std::optional<double> saves;
      if (row.seconds && row.alone_seconds) saves = *row.alone_seconds - *row.seconds;
      std::string note = time.note;
      for (const Gap& gap : time.gaps) note = gap.reason;
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(report.graph->model),
                          csv_number(report.graph->batch), to_string(report.choice.precision),
                          csv_field(fusion.pattern), csv_field(layers), csv_field(fusion.problem),
                          to_string(row.verdict), csv_number(row.seconds),
                          csv_number(row.alone_seconds), csv_number(saves),
                          time.calls.empty() ? "" : to_string(time.calls.front()->variant),
                          csv_field(note));
    }
  }
  return text;
}

}  // namespace benanza::analysis
