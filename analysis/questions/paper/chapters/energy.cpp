// Energy: joules of the bound's calls, measured by the device itself.

#include "analysis/questions/paper/study.h"
#include "analysis/render/table.h"

namespace benanza::analysis {
namespace {

double joules_per_sample(const StudiedModel& model) {
  return *model.number("energy", "/joules") / static_cast<double>(model.batch().value_or(1));
}

void paper_energy_add_precision(Section& section, const AtPrecision& at) {
  using Row = const StudiedModel*;
  std::vector<Row> models = at.models;
  std::erase_if(models, [](Row model) { return !model->number("energy", "/joules").has_value(); });
  if (models.empty()) return;
  const Table<Row> table{{"model", "model", marked_name},
                         {"J per run", "joules", thousandths, number_at("energy", "/joules")},
                         {"J per sample", "joules_per_sample", thousandths,
                          [](Row model) { return joules_per_sample(*model); }},
                         {"W", "watts", thousandths, number_at("energy", "/watts")},
                         {"of the bound", "known_share", percent, [](Row model) {
                            return *model->number("energy", "/known_seconds") /
                                   *model->number("energy", "/sequential_seconds");
                          }}};
  section.add(table.sheet(models, {.name = "energy_" + at.word,
                                   .caption = "Energy of the bound's calls at " + at.word,
                                   .all_rows = true}));
  section.add(bars_of("Energy of the bound's calls, " + at.word + ": J per sample", "joules",
                      models, joules_per_sample));
}

}  // namespace

Chapter energy_chapter() {
  return {
      .title = "Energy",
      .introduction =
          "Of the whole device, idle power included, while each call is repeated without a pause. "
          "Calls without energy are left out.",
      .add = paper_energy_add_precision,
      .place = 80};
}

}  // namespace benanza::analysis
