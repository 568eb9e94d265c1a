// Question 6: what Tensor Cores gain.

#include "analysis/questions/paper/study.h"
#include "analysis/render/table.h"

namespace benanza::analysis {
namespace {

std::optional<double> paper_tensor_cores_speed_up(const StudiedModel& model) {
  return quotient(model.number("tensor-cores", "/totals/without_seconds"),
                  model.number("tensor-cores", "/totals/with_seconds"));
}

std::optional<Section> paper_tensor_cores_section(const Study& study) {
  using Row = const StudiedModel*;
  std::vector<Row> shown;
  for (const StudiedModel& model : study.models) {
    if (model.subject().filter.precision == Precision::fp32 && paper_tensor_cores_speed_up(model)) {
      shown.push_back(&model);
    }
  }
  if (shown.empty()) return std::nullopt;
  const Table<Row> table{
      {"model", "model", marked_name},
      {"without", "without_precision",
       [](Row model) {
         return model->facts("tensor-cores")["totals"].value("without_precision", "");
       }},
      {"without, ms", "without_seconds", milli,
       number_at("tensor-cores", "/totals/without_seconds")},
      {"with, ms", "with_seconds", milli, number_at("tensor-cores", "/totals/with_seconds")},
      {"speed-up", "speed_up", times,
       [](Row model) { return paper_tensor_cores_speed_up(*model); }},
      {"parallel speed-up", "parallel_speed_up", times,
       [](Row model) {
         return quotient(model->number("tensor-cores", "/totals/parallel_without_seconds"),
                         model->number("tensor-cores", "/totals/parallel_with_seconds"));
       }},
      {"layers that use them", "layers_using", count_at("tensor-cores", "/totals/layers_using")}};
  Section section;
  section.add("The same layers at fp32 without Tensor Cores, and at the precision that uses them.");
  section.add(bars_of("Speed-up by Tensor Cores", "one layer after the other", shown,
                      paper_tensor_cores_speed_up));
  section.add(
      table.sheet(shown, {.name = "tensor_cores", .caption = "Tensor Cores", .all_rows = true}));
  if (const auto note = note_on_marks(shown)) section.add(*note);
  return section;
}

}  // namespace

Chapter tensor_cores_chapter() {
  return {.title = "Question 6: Tensor Cores", .section = paper_tensor_cores_section, .place = 60};
}

}  // namespace benanza::analysis
