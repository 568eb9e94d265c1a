// The bound and the framework across batch sizes.

#include <map>

#include "analysis/questions/paper/study.h"

namespace benanza::analysis {
namespace {

std::optional<Section> section(const Study& study) {
  Section section;
  section.add("Images (or sequences) a second: the batch size over the latency.");
  bool any = false;
  for (const Precision precision : study.precisions()) {
    std::map<std::string, std::map<std::int64_t, const StudiedModel*>> by_model;
    for (const StudiedModel* model : study.at(precision)) {
      const Graph& graph = model->subject().graph;
      if (graph.batch) by_model[graph.model][*graph.batch] = model;
    }
    std::erase_if(by_model, [](const auto& entry) { return entry.second.size() < 2; });
    if (by_model.empty()) continue;
    any = true;
    const std::string word(to_string(precision));
    Sheet sheet{.name = "batches_" + word,
                .caption = "Batch sizes at " + word,
                .columns = {{"model", "model"},
                            {"batch", "batch", true},
                            {"LBL, ms", "sequential_seconds", true},
                            {"a second, by the LBL", "bound_throughput", true},
                            {"framework, ms", "framework_seconds", true},
                            {"BR", "benanza_ratio", true}},
                .all_rows = true};
    for (const auto& [name, batches] : by_model) {
      Bars bars{.title = name + ", " + word + ": a second, by the LBL",
                .series = {{"LBL", {}}},
                .decimals = 0};
      for (const auto& [batch, model] : batches) {
        const auto seconds = model->number("bound", "/bounds/sequential/seconds");
        const auto framework = model->number("bound", "/profiles/0/latency_seconds");
        const auto rate = ratio(static_cast<double>(batch), seconds);
        bars.categories.push_back("batch " + std::to_string(batch));
        bars.series[0].values.push_back(rate);
        sheet.rows.push_back({text_cell(name), count_cell(static_cast<std::size_t>(batch)),
                              ms_cell(seconds), ratio_cell(rate), ms_cell(framework),
                              ratio_cell(ratio(seconds, framework))});
      }
      section.add(std::move(bars));
    }
    section.add(std::move(sheet));
  }
  if (!any) return std::nullopt;
  return section;
}

}  // namespace

Chapter batches_chapter() { return {.title = "Batch sizes", .section = section, .place = 25}; }

}  // namespace benanza::analysis
