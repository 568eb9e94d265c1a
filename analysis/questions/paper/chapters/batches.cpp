// The bound and the framework across batch sizes.

#include <map>

#include "analysis/questions/paper/study.h"
#include "analysis/render/table.h"

namespace benanza::analysis {
namespace {

std::optional<double> lbl(const StudiedModel* model) {
  return bound_seconds(*model, "/bounds/sequential/seconds");
}

/// By the bound.
std::optional<double> paper_batches_samples_per_second(const StudiedModel* model) {
  return quotient(static_cast<double>(model->batch().value_or(0)), lbl(model));
}

/// Models that come at several batch sizes, by name and batch.
std::vector<const StudiedModel*> at_several_batches(const std::vector<const StudiedModel*>& all) {
  std::map<std::string, std::map<std::int64_t, const StudiedModel*>> by_model;
  for (const StudiedModel* model : all) {
    if (model->batch()) by_model[model->model()][*model->batch()] = model;
  }
  std::vector<const StudiedModel*> found;
  for (const auto& [name, batches] : by_model) {
    if (batches.size() < 2) continue;
    for (const auto& [batch, model] : batches) found.push_back(model);
  }
  return found;
}

void paper_batches_add_precision(Section& section, const AtPrecision& at) {
  using Row = const StudiedModel*;
  const std::vector<Row> shown = at_several_batches(at.models);
  if (shown.empty()) return;
  std::map<std::string, double> smallest;
  for (Row model : shown) {
    if (const auto rate = paper_batches_samples_per_second(model))
      smallest.try_emplace(model->model(), *rate);
  }
  const Table<Row> table{
      {"model", "model",
       [](Row model) { return model->model() + (model->is_partial() ? " ?" : ""); }},
      {"batch", "batch", [](Row model) { return *model->batch(); }},
      {"LBL, ms", "sequential_seconds", milli, lbl},
      {"a second, by the LBL", "bound_throughput", thousandths, paper_batches_samples_per_second},
      {"framework, ms", "framework_seconds", milli,
       [](Row model) {
         const auto run = fastest_run(*model);
         return run ? std::optional(run->seconds) : std::nullopt;
       }},
      {"BR", "benanza_ratio", thousandths, [](Row model) {
         const auto run = fastest_run(*model);
         return run && lbl(model) ? run->ratio : std::nullopt;
       }}};
  section.add(bars_of("Throughput by the LBL over that of the smallest batch, " + at.word, "",
                      shown, [&](const StudiedModel& model) {
                        const auto least = smallest.find(model.model());
                        return least == smallest.end()
                                   ? std::nullopt
                                   : quotient(paper_batches_samples_per_second(&model),
                                              least->second);
                      }));
  section.add(bars_of(
      "LBL over the framework's latency (BR) by batch, " + at.word + ", %", "", shown,
      [](const StudiedModel& model) -> std::optional<double> {
        const auto run = fastest_run(model);
        return run && run->ratio && *run->ratio > 0 ? run->ratio : std::nullopt;
      },
      "%", 0));
  section.add(table.sheet(
      shown,
      {.name = "batches_" + at.word, .caption = "Batch sizes at " + at.word, .all_rows = true}));
  if (const auto note = note_on_marks(shown)) section.add(*note);
}

}  // namespace

Chapter batches_chapter() {
  return {
      .title = "Batch sizes",
      .introduction =
          "Images (or sequences) a second: the batch size over the latency. The framework is the "
          "fastest that was measured at the precision.",
      .add = paper_batches_add_precision,
      .place = 25};
}

}  // namespace benanza::analysis
