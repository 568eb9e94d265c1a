// Question 4: where frameworks do more than the model requires.

#include <set>
#include <utility>

#include "analysis/questions/paper/study.h"

namespace benanza::analysis {
namespace {

std::optional<Section> section(const Study& study) {
  Sheet sheet{.name = "inefficiencies",
              .caption = "What frameworks do beyond the model",
              .columns = {{"model", "model"},
                          {"framework", "framework"},
                          {"precision", "precision"},
                          {"difference", "difference"},
                          {"what", "what"},
                          {"times", "count", true},
                          {"ms", "seconds", true},
                          {"what to do", "advice"}},
              .all_rows = true};
  std::set<std::pair<std::string, std::string>> told;
  for (const StudiedModel& model : study.models) {
    const auto& facts = model.facts("inspect");
    if (!facts.is_object() || !facts.contains("totals")) continue;
    // Precisions without a run of their own report the same run again.
    const std::string precision = facts.value("precision", "");
    if (!told.emplace(model.name(), precision).second) continue;
    for (const auto& total : facts["totals"]) {
      const auto text = [&](const char* field) {
        return text_cell(total.contains(field) && total[field].is_string()
                             ? total[field].get<std::string>()
                             : "");
      };
      const std::optional<double> seconds =
          total.contains("seconds") && total["seconds"].is_number()
              ? std::optional(total["seconds"].get<double>())
              : std::nullopt;
      sheet.rows.push_back({text_cell(model.name()), text_cell(facts.value("framework", "")),
                            text_cell(precision), text("difference"), text("what"),
                            count_cell(total.value("count", std::size_t{0})), ms_cell(seconds),
                            text("advice")});
    }
  }
  if (sheet.rows.empty()) return std::nullopt;
  Section section;
  section.add(
      "From the frameworks' traces: operators and kernels that no layer of the model asks for.");
  section.add(std::move(sheet));
  return section;
}

}  // namespace

Chapter inefficiencies_chapter() {
  return {.title = "Question 4: inefficiencies of frameworks", .section = section, .place = 40};
}

}  // namespace benanza::analysis
