// Question 5: what layer fusion gains.

#include "analysis/questions/paper/study.h"
#include "analysis/render/table.h"

namespace benanza::analysis {
namespace {

/// The bound without fusion over that with it; `kind`: "sequential" or "parallel".
auto paper_fusion_speed_up(const std::string& kind) {
  return [kind](const StudiedModel& model) {
    return quotient(model.number("fusion", "/unfused/" + kind + "/seconds"),
                    model.number("fusion", "/fused/" + kind + "/seconds"));
  };
}

void paper_fusion_add_precision(Section& section, const AtPrecision& at) {
  using Row = const StudiedModel*;
  const auto without = number_at("fusion", "/unfused/sequential/seconds");
  const auto with = number_at("fusion", "/fused/sequential/seconds");
  std::vector<Row> known = at.models;
  std::erase_if(known, [&](Row model) { return !without(model) || !with(model); });
  if (known.empty()) return;
  const Table<Row> table{{"model", "model", marked_name},
                         {"without, ms", "unfused_seconds", milli, without},
                         {"with, ms", "fused_seconds", milli, with},
                         {"speed-up", "speed_up", times,
                          [](Row model) { return paper_fusion_speed_up("sequential")(*model); }},
                         {"parallel speed-up", "parallel_speed_up", times,
                          [](Row model) { return paper_fusion_speed_up("parallel")(*model); }},
                         {"fused calls", "fusions_used", count_at("fusion", "/fusions_used")},
                         {"optimal", "optimal", [](Row model) {
                            return model->facts("fusion").value("optimal", false);
                          }}};
  section.add(bars_of("Speed-up by layer fusion, " + at.word, "one layer after the other",
                      at.models, paper_fusion_speed_up("sequential")));
  section.add(table.sheet(
      known,
      {.name = "fusion_" + at.word, .caption = "Layer fusion at " + at.word, .all_rows = true}));
  if (const auto note = note_on_marks(at.models)) section.add(*note);
}

}  // namespace

Chapter fusion_chapter() {
  return {
      .title = "Question 5: layer fusion",
      .introduction =
          "Fused calls take the place of several layers where that is faster; the best choice of "
          "calls that do not overlap is found exactly where the table says optimal.",
      .add = paper_fusion_add_precision,
      .place = 50};
}

}  // namespace benanza::analysis
