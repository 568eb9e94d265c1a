#include "analysis/questions/compare/common_sheet.h"
#include "analysis/render/table.h"

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

std::optional<CommonVerdict> told_verdict(const CommonChange* common) {
  if (common == nullptr || common->verdict == CommonVerdict::none) return std::nullopt;
  return common->verdict;
}

Sheet common_sheet(const std::vector<CommonChange>& common) {
  using Row = CommonChange;
  const Table<Row> table{
      {"library", "backend", &Row::backend},
      {"calls", "calls", &Row::calls},
      {"agreeing", "agreeing", &Row::agreeing},
      {"ratio", "ratio", thousandths, &Row::ratio},
      {"ratio 99.9%", "ratio_interval", [](const Row& one) { return ratios(one.interval); }},
      {"the machine", "reference_interval",
       [](const Row& one) {
         return one.reference ? std::optional(ratios(one.reference->change)) : std::nullopt;
       }},
      {"by", "reference",
       [](const Row& one) {
         return one.reference ? std::optional(one.reference->name) : std::nullopt;
       },
       any_width},
      {"verdict", "verdict", [](const Row& one) { return told_verdict(&one); }}};
  return table.sheet(
      common, {.name = "common", .caption = "what all calls have in common", .all_rows = true});
}

}  // namespace benanza::analysis
