// Energy: joules of the bound's calls, measured by the device itself.

#include "analysis/questions/paper/study.h"

namespace benanza::analysis {
namespace {

double joules_per_sample(const StudiedModel& model) {
  return *model.number("energy", "/joules") / static_cast<double>(model.batch().value_or(1));
}

void add_precision(Section& section, const std::vector<const StudiedModel*>& models,
                   const std::string& word) {
  Sheet sheet{.name = "energy_" + word,
              .caption = "Energy of the bound's calls at " + word,
              .columns = {{"model", "model"},
                          {"J per run", "joules", true},
                          {"J per sample", "joules_per_sample", true},
                          {"W", "watts", true},
                          {"of the bound", "known_share", true}},
              .all_rows = true};
  for (const StudiedModel* const model : models) {
    const auto number = [&](const char* pointer) { return *model->number("energy", pointer); };
    sheet.rows.push_back({text_cell(marked(*model)), ratio_cell(number("/joules")),
                          ratio_cell(joules_per_sample(*model)), ratio_cell(number("/watts")),
                          percent_cell(number("/known_seconds") / number("/sequential_seconds"))});
  }
  section.add(std::move(sheet));
  section.add(
      bars_of("Energy of the bound's calls, " + word + ": J per sample", "joules", models,
              [](const StudiedModel& model) { return std::optional(joules_per_sample(model)); }));
}

std::optional<Section> section(const Study& study) {
  Section section;
  section.add(
      "Of the whole device, idle power included, while each call is repeated without a pause. "
      "Calls "
      "without energy are left out.");
  bool any = false;
  for (const Precision precision : study.precisions()) {
    std::vector<const StudiedModel*> models = study.at(precision);
    std::erase_if(models, [](const StudiedModel* model) {
      return !model->number("energy", "/joules").has_value();
    });
    if (models.empty()) continue;
    any = true;
    add_precision(section, models, std::string(to_string(precision)));
  }
  return any ? std::optional(std::move(section)) : std::nullopt;
}

}  // namespace

Chapter energy_chapter() { return {.title = "Energy", .section = section, .place = 80}; }

}  // namespace benanza::analysis
