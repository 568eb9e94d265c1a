// The bound and the framework across batch sizes.

#include <map>

#include "analysis/questions/paper/study.h"

namespace benanza::analysis {
namespace {

std::optional<Section> section(const Study& study) {
  Section section;
  section.add(
      "Images (or sequences) a second: the batch size over the latency. The framework is the "
      "fastest that was measured at the precision.");
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
    std::vector<const StudiedModel*> shown;
    std::map<std::string, double> smallest;
    for (const auto& [name, batches] : by_model) {
      for (const auto& [batch, model] : batches) {
        const auto seconds = bound_seconds(*model, "/bounds/sequential/seconds");
        const auto framework = fastest_run(*model);
        const auto rate = ratio(static_cast<double>(batch), seconds);
        if (rate) smallest.try_emplace(name, *rate);
        shown.push_back(model);
        sheet.rows.push_back({text_cell(name + (model->is_partial() ? " ?" : "")),
                              count_cell(static_cast<std::size_t>(batch)), ms_cell(seconds),
                              ratio_cell(rate),
                              ms_cell(framework ? std::optional(framework->seconds) : std::nullopt),
                              ratio_cell(framework && seconds ? framework->ratio : std::nullopt)});
      }
    }
    Bars gains =
        bars_of("Throughput by the LBL over that of the smallest batch, " + word, "", shown,
                [&](const StudiedModel& model) {
                  const auto rate = ratio(static_cast<double>(model.batch().value_or(0)),
                                          bound_seconds(model, "/bounds/sequential/seconds"));
                  const auto least = smallest.find(model.model());
                  return least == smallest.end() ? std::nullopt : ratio(rate, least->second);
                });
    section.add(std::move(gains));
    Bars shares = bars_of("LBL over the framework's latency (BR) by batch, " + word + ", %", "",
                          shown, [](const StudiedModel& model) -> std::optional<double> {
                            const auto run = fastest_run(model);
                            if (!run || !run->ratio || !(*run->ratio > 0)) return std::nullopt;
                            return *run->ratio * 100;
                          });
    shares.unit = "%";
    shares.decimals = 0;
    section.add(std::move(shares));
    section.add(std::move(sheet));
    if (const auto note = note_on_marks(shown)) section.add(*note);
  }
  if (!any) return std::nullopt;
  return section;
}

}  // namespace

Chapter batches_chapter() { return {.title = "Batch sizes", .section = section, .place = 25}; }

}  // namespace benanza::analysis
