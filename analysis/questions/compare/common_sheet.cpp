#include "analysis/questions/compare/common_sheet.h"

#include <cmath>

namespace benanza::analysis {

Interval ratios(const Interval& logarithms) {
  return {std::exp(logarithms.low), std::exp(logarithms.high)};
}

std::string change_word(const CommonChange& common) {
  switch (common.verdict) {
    case CommonVerdict::cannot_tell:
      return common.change > 0 ? "all longer (cannot tell)" : "all shorter (cannot tell)";
    case CommonVerdict::machine:
      return "all as the machine";
    default:
      return "all " + std::string(to_string(common.verdict));
  }
}

Cell verdict_cell(const CommonChange* common) {
  if (common == nullptr || common->verdict == CommonVerdict::none) return {"-", nullptr};
  return text_cell(std::string(to_string(common->verdict)));
}

Sheet common_sheet(const std::vector<CommonChange>& common) {
  Sheet sheet{.name = "common",
              .caption = "what all calls have in common",
              .columns = {{"library", "backend"},
                          {"calls", "calls", true},
                          {"agreeing", "agreeing", true},
                          {"ratio", "ratio", true},
                          {"ratio 99.9%", "ratio_interval"},
                          {"the machine", "reference_interval"},
                          {"by", "reference", false, any_width},
                          {"verdict", "verdict"}},
              .all_rows = true};
  for (const CommonChange& one : common) {
    const bool told = one.reference.has_value();
    sheet.rows.push_back(
        {text_cell(one.backend), count_cell(one.calls), count_cell(one.agreeing),
         ratio_cell(one.ratio()), interval_cell(ratios(one.interval)),
         interval_cell(told ? std::optional(ratios(one.reference->change)) : std::nullopt),
         told ? text_cell(one.reference->name) : Cell{"-", nullptr}, verdict_cell(&one)});
  }
  return sheet;
}

}  // namespace benanza::analysis
