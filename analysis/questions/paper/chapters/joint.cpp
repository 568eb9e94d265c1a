// All optimisations, alone and together.

#include <map>

#include "analysis/questions/paper/study.h"
#include "analysis/render/table.h"

namespace benanza::analysis {
namespace {

/// A subset of the optimisations in `joint`'s answer about a model.
struct Subset {
  const StudiedModel* model = nullptr;
  const nlohmann::ordered_json* facts = nullptr;
};

std::optional<Section> paper_joint_section(const Study& study) {
  using Row = Subset;
  std::vector<Row> rows;
  std::vector<const StudiedModel*> shown;
  std::map<const StudiedModel*, std::optional<double>> together;
  for (const StudiedModel& model : study.models) {
    if (model.subject().filter.precision != Precision::fp32) continue;
    const auto& facts = model.facts("joint");
    if (!facts.is_object() || !facts.contains("subsets")) continue;
    shown.push_back(&model);
    for (const auto& subset : facts["subsets"]) {
      rows.push_back({&model, &subset});
      together[&model] = number_in(subset, "speed_up");
    }
  }
  if (rows.empty()) return std::nullopt;
  const auto number = [](const char* field) {
    return [field](const Row& row) { return number_in(*row.facts, field); };
  };
  const Table<Row> table{{"model", "model", [](const Row& row) { return marked(*row.model); }},
                         {"optimisations", "optimisations",
                          [](const Row& row) { return row.facts->value("optimisations", ""); }},
                         {"ms", "seconds", milli, number("seconds")},
                         {"speed-up", "speed_up", times, number("speed_up")},
                         {"of the product of each alone", "composes", percent, number("composes")},
                         {"over what was measured", "speed_up_over_measured", times,
                          number("speed_up_over_measured")}};
  Section section;
  section.add(
      "Best algorithms, parallel layers, fusion and Tensor Cores, every subset of them. The last "
      "subset of a model is all of them.");
  section.add(bars_of("Speed-up by all optimisations together, over the heuristics' calls at fp32",
                      "together", shown,
                      [&](const StudiedModel& model) { return together[&model]; }));
  section.add(table.sheet(
      rows, {.name = "joint", .caption = "Every subset of the optimisations", .all_rows = true}));
  return section;
}

}  // namespace

Chapter joint_chapter() {
  return {.title = "All optimisations together", .section = paper_joint_section, .place = 70};
}

}  // namespace benanza::analysis
