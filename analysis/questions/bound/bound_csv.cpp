#include <fmt/format.h>

#include "analysis/questions/bound/report.h"
#include "analysis/render/csv.h"
#include "analysis/questions/bound/layer_row.h"

namespace benanza::analysis {
std::string bound_csv(const BoundReports& reports) {
  std::string text =
      "model,batch,precision,layer,op,standing,seconds,share,flops,bytes,flops_per_second,"
      "on_critical_path,fusion,calls,note\n";
  for (const BoundReport& report : reports.reports) {
    const std::vector<LayerRow> rows = layer_rows(report);
    for (std::size_t index = 0; index < rows.size(); ++index) {
      const Layer& layer = report.graph->layers[index];
      const LayerTime& time = report.times[index];
      std::string calls;
      for (const Measurement* call : time.calls) {
        if (!calls.empty()) calls += ' ';
        calls += to_string(call->variant);
      }
      std::string note = time.note;
      for (const Gap& gap : time.gaps) {
        if (!note.empty()) note += "; ";
        note += gap.key + ": " + gap.reason;
      }
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                          csv_field(report.graph->model), csv_number(report.graph->batch),
                          to_string(report.choice.precision), csv_field(layer.name),
                          csv_field(layer.op), to_string(time.standing), csv_number(time.seconds),
                          csv_number(rows[index].share, "{:.6g}"), csv_number(layer.flops),
                          csv_number(layer.bytes), csv_number(rows[index].flops_per_second),
                          rows[index].on_critical_path ? "yes" : "no", csv_field(time.fusion),
                          csv_field(calls), csv_field(note));
    }
  }
  return text;
}

}  // namespace benanza::analysis
