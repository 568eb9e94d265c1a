// Question 6: what Tensor Cores gain.

#include "analysis/questions/paper/study.h"

namespace benanza::analysis {
namespace {

std::optional<Section> section(const Study& study) {
  Sheet sheet{.name = "tensor_cores",
              .caption = "Tensor Cores",
              .columns = {{"model", "model"},
                          {"without", "without_precision"},
                          {"without, ms", "without_seconds", true},
                          {"with, ms", "with_seconds", true},
                          {"speed-up", "speed_up", true},
                          {"parallel speed-up", "parallel_speed_up", true},
                          {"layers that use them", "layers_using", true}},
              .all_rows = true};
  std::vector<const StudiedModel*> shown;
  for (const StudiedModel& model : study.models) {
    if (model.subject().filter.precision != Precision::fp32) continue;
    const auto number = [&](const char* pointer) { return model.number("tensor-cores", pointer); };
    const auto without = number("/totals/without_seconds");
    const auto with = number("/totals/with_seconds");
    if (!without || !with || *with == 0) continue;
    const auto gain = ratio(without, with);
    const auto& totals = model.facts("tensor-cores")["totals"];
    sheet.rows.push_back(
        {text_cell(marked(model)), text_cell(totals.value("without_precision", "")),
         ms_cell(without), ms_cell(with), factor_cell(gain),
         factor_cell(ratio(number("/totals/parallel_without_seconds"),
                           number("/totals/parallel_with_seconds"))),
         count_cell(static_cast<std::size_t>(number("/totals/layers_using").value_or(0)))});
    shown.push_back(&model);
  }
  if (shown.empty()) return std::nullopt;
  Section section;
  section.add("The same layers at fp32 without Tensor Cores, and at the precision that uses them.");
  section.add(bars_of("Speed-up by Tensor Cores", "one layer after the other", shown,
                      [](const StudiedModel& model) {
                        return ratio(model.number("tensor-cores", "/totals/without_seconds"),
                                     model.number("tensor-cores", "/totals/with_seconds"));
                      }));
  section.add(std::move(sheet));
  if (const auto note = note_on_marks(shown)) section.add(*note);
  return section;
}

}  // namespace

Chapter tensor_cores_chapter() {
  return {.title = "Question 6: Tensor Cores", .section = section, .place = 60};
}

}  // namespace benanza::analysis
