#include <fmt/format.h>

#include <algorithm>

#include "analysis/questions/common/answers.h"

namespace benanza::analysis {

Section joint_section(const Graph& graph, const Choice& choice, const JointAnswer& answer) {
  Section section = model_section(graph, choice);
  section.facts["tensor_core_precision"] = to_string(answer.tensor_core_precision);
  section.facts["measured_seconds"] =
      answer.measured_seconds ? nlohmann::ordered_json(*answer.measured_seconds) : nullptr;
  const JointRow& plain = answer.rows.front();
  const JointRow& all = answer.rows.back();
  section.lines.push_back(
      fmt::format("without any: {:.3f} ms (layers one after the other, each call as the library's "
                  "heuristic picks it, {})",
                  plain.seconds * 1e3, to_string(choice.precision)));
  section.lines.push_back(fmt::format(
      "all of them: {:.3f} ms, {:.2f} times as fast; each alone, multiplied: {:.2f}; they compose "
      "to {:.0f}% of that",
      all.seconds * 1e3, all.speed_up, all.composed_speed_up,
      100 * all.speed_up / all.composed_speed_up));
  if (answer.measured_seconds) {
    section.lines.push_back(fmt::format("measured: {:.3f} ms", *answer.measured_seconds * 1e3));
  }
  if (!answer.incomplete.empty()) {
    section.lines.emplace_back("PARTIAL: measurements are missing; the bounds may not compare");
  }
  section.facts["partial"] = !answer.incomplete.empty();
  Sheet sheet{.name = "subsets",
              .caption = "Tensor Cores: " + std::string(to_string(answer.tensor_core_precision)) +
                         " instead of " + std::string(to_string(choice.precision)),
              .columns = {{"optimisations", "optimisations"},
                          {"bound ms", "seconds", true},
                          {"speed-up", "speed_up", true},
                          {"each alone, multiplied", "composed_speed_up", true},
                          {"composes", "composes", true},
                          {"over measured", "speed_up_over_measured", true}},
              .rows = {}};
  for (const JointRow& row : answer.rows) {
    std::optional<double> over_measured;
    if (answer.measured_seconds && row.seconds > 0) {
      over_measured = *answer.measured_seconds / row.seconds;
    }
    sheet.rows.push_back({text_cell(to_string(row.on)), ms_cell(row.seconds),
                          factor_cell(row.speed_up), factor_cell(row.composed_speed_up),
                          percent_cell(row.speed_up / row.composed_speed_up),
                          factor_cell(over_measured)});
  }
  section.sheets.push_back(std::move(sheet));
  return section;
}

Section joint_summary(const std::vector<JointColumn>& columns) {
  Section section;
  section.heading = "speed-up over none, by model and batch";
  section.facts["summary"] = true;
  Sheet sheet{.name = "speed_ups",
              .caption = "",
              .columns = {{"optimisations", "optimisations"}},
              .rows = {}};
  for (const JointColumn& column : columns) {
    sheet.columns.push_back({column.heading, column.heading, true});
  }
  for (std::size_t row = 0; row < columns.front().answer.rows.size(); ++row) {
    std::vector<Cell> cells{text_cell(to_string(columns.front().answer.rows[row].on))};
    for (const JointColumn& column : columns) {
      cells.push_back(factor_cell(column.answer.rows[row].speed_up));
    }
    sheet.rows.push_back(std::move(cells));
  }
  section.sheets.push_back(std::move(sheet));
  return section;
}

}  // namespace benanza::analysis
