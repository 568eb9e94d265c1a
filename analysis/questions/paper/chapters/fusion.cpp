// Question 5: what layer fusion gains.

#include "analysis/questions/paper/study.h"

namespace benanza::analysis {
namespace {

std::optional<Section> section(const Study& study) {
  Section section;
  section.add(
      "Fused calls take the place of several layers where that is faster; the best choice of "
      "calls that do not overlap is found exactly where the table says optimal.");
  bool any = false;
  for (const Precision precision : study.precisions()) {
    const std::string word(to_string(precision));
    Sheet sheet{.name = "fusion_" + word,
                .caption = "Layer fusion at " + word,
                .columns = {{"model", "model"},
                            {"without, ms", "unfused_seconds", true},
                            {"with, ms", "fused_seconds", true},
                            {"speed-up", "speed_up", true},
                            {"parallel speed-up", "parallel_speed_up", true},
                            {"fused calls", "fusions_used", true},
                            {"optimal", "optimal"}},
                .all_rows = true};
    for (const StudiedModel* model : study.at(precision)) {
      const auto number = [&](const char* pointer) { return model->number("fusion", pointer); };
      const auto without = number("/unfused/sequential/seconds");
      const auto with = number("/fused/sequential/seconds");
      if (!without || !with) continue;
      any = true;
      const auto gain = ratio(without, with);
      const auto used = number("/fusions_used");
      sheet.rows.push_back({text_cell(marked(*model)), ms_cell(without), ms_cell(with),
                            factor_cell(gain),
                            factor_cell(ratio(number("/unfused/parallel/seconds"),
                                              number("/fused/parallel/seconds"))),
                            count_cell(static_cast<std::size_t>(used.value_or(0))),
                            flag_cell(model->facts("fusion").value("optimal", false))});
    }
    if (sheet.rows.empty()) continue;
    section.add(bars_of("Speed-up by layer fusion, " + word, "one layer after the other",
                        study.at(precision), [](const StudiedModel& model) {
                          return ratio(model.number("fusion", "/unfused/sequential/seconds"),
                                       model.number("fusion", "/fused/sequential/seconds"));
                        }));
    section.add(std::move(sheet));
    if (const auto note = note_on_marks(study.at(precision))) section.add(*note);
  }
  if (!any) return std::nullopt;
  return section;
}

}  // namespace

Chapter fusion_chapter() {
  return {.title = "Question 5: layer fusion", .section = section, .place = 50};
}

}  // namespace benanza::analysis
