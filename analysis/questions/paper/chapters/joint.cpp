// All optimisations, alone and together.

#include <map>

#include "analysis/questions/paper/study.h"

namespace benanza::analysis {
namespace {

std::optional<Section> section(const Study& study) {
  Sheet sheet{.name = "joint",
              .caption = "Every subset of the optimisations",
              .columns = {{"model", "model"},
                          {"optimisations", "optimisations"},
                          {"ms", "seconds", true},
                          {"speed-up", "speed_up", true},
                          {"of the product of each alone", "composes", true},
                          {"over what was measured", "speed_up_over_measured", true}},
              .all_rows = true};
  std::vector<const StudiedModel*> shown;
  std::map<const StudiedModel*, double> together;
  for (const StudiedModel& model : study.models) {
    if (model.subject().filter.precision != Precision::fp32) continue;
    const auto& facts = model.facts("joint");
    if (!facts.is_object() || !facts.contains("subsets")) continue;
    std::optional<double> all;
    for (const auto& subset : facts["subsets"]) {
      const auto number = [&](const char* field) {
        return subset.contains(field) && subset[field].is_number()
                   ? std::optional(subset[field].get<double>())
                   : std::nullopt;
      };
      sheet.rows.push_back({text_cell(marked(model)), text_cell(subset.value("optimisations", "")),
                            ms_cell(number("seconds")), factor_cell(number("speed_up")),
                            percent_cell(number("composes")),
                            factor_cell(number("speed_up_over_measured"))});
      all = number("speed_up");
    }
    shown.push_back(&model);
    if (all) together[&model] = *all;
  }
  if (sheet.rows.empty()) return std::nullopt;
  Section section;
  section.add(
      "Best algorithms, parallel layers, fusion and Tensor Cores, every subset of them. The last "
      "subset of a model is all of them.");
  section.add(bars_of("Speed-up by all optimisations together, over the heuristics' calls at fp32",
                      "together", shown, [&](const StudiedModel& model) -> std::optional<double> {
                        const auto found = together.find(&model);
                        return found == together.end() ? std::nullopt
                                                       : std::optional(found->second);
                      }));
  section.add(std::move(sheet));
  return section;
}

}  // namespace

Chapter joint_chapter() {
  return {.title = "All optimisations together", .section = section, .place = 70};
}

}  // namespace benanza::analysis
