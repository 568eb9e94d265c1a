#include "analysis/questions/compare/changes_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "analysis/questions/compare/judge.h"
#include "analysis/render/table.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

/// The call, or why there is none.
auto call_or_reason(const Measurement* Change::*which) {
  return [which](const Change& change) {
    const Measurement* const call = change.*which;
    return call == nullptr ? Cell{.shown = change.reason, .value = nullptr} : cell(call_text(call));
  };
}

/// `calls`: each row is the same call before and after. `same`: include unchanged rows.
Sheet changes_sheet(const std::vector<Change>& changes, bool calls, bool same) {
  std::vector<Change> listed;
  std::ranges::copy_if(changes, std::back_inserter(listed), [&](const Change& change) {
    return change.kind != ChangeKind::same || change.apart || same;
  });
  const Table<Change> table{
      {"change", "change", &Change::kind},
      {"ratio", "ratio", thousandths, &Change::ratio},
      {"ratio 95%", "ratio_95", &Change::spread},
      {"beside all", "beside_all", thousandths, &Change::beside_common},
      {"before us", "before_seconds", micro,
       [](const Change& one) { return seconds_of(one.before); }},
      {"after us", "after_seconds", micro, [](const Change& one) { return seconds_of(one.after); }},
      {"before", "before", call_or_reason(&Change::before)},
      {"after", "after", call_or_reason(&Change::after)},
      {"problem", "problem", &Change::key}};
  return table.sheet(
      listed, {.name = calls ? "calls" : "problems", .caption = calls ? "call by call" : ""});
}

/// The rows of CSV: a common change is one, before the problems.
Sheet with_common_rows(const Changes& changes, const Sheet& problems) {
  Sheet sheet = problems;
  std::vector<std::vector<Cell>> rows;
  for (const CommonChange& one : changes.common) {
    if (one.verdict == CommonVerdict::none) continue;
    std::vector<Cell>& row = rows.emplace_back(sheet.columns.size(), unknown_cell());
    row[0] = cell(change_word(one));
    row[1] = cell(one.ratio(), thousandths);
    row[2] = cell(ratios(one.interval));
    row[3] = cell(1.0, thousandths);
    row.back() = cell("all calls of " + one.backend);
  }
  sheet.rows.insert(sheet.rows.begin(), rows.begin(), rows.end());
  return sheet;
}

void add_common(Section& section, const Changes& changes) {
  for (const CommonChange& one : changes.common) {
    if (one.verdict != CommonVerdict::none) section.add("in common: " + common_text(one));
  }
  if (!changes.common.empty()) section.add(common_sheet(changes.common));
  section.facts["drift"] = changes.drift();
}

void add_totals(Section& section, const std::string& name, const ChangeTotals& sum,
                double tolerance) {
  const std::string beyond = fmt::format("by more than {:g}%", tolerance * 100);
  section.add(fmt::format(
      "{}: {} with a time in both, {} slower {}, {} faster, {} unknown, {} lost, {} gained{}{}",
      name, sum.compared, sum.of(ChangeKind::slower), beyond, sum.of(ChangeKind::faster),
      sum.of(ChangeKind::unknown), sum.of(ChangeKind::lost), sum.of(ChangeKind::gained),
      sum.with_common > 0 ? fmt::format("; {} as all calls", sum.with_common) : "",
      sum.median_ratio ? fmt::format("; median ratio {:.4f}", *sum.median_ratio) : ""));
  nlohmann::ordered_json& facts = section.facts[name + "_totals"];
  facts["compared"] = sum.compared;
  for (const ChangeKind kind : change_kinds) facts[std::string(to_string(kind))] = sum.of(kind);
  facts["as_all_calls"] = sum.with_common;
  facts["median_ratio"] = sum.median_ratio;
}

}  // namespace

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

Section changes_section(const MeasurementFilter& filter, const Changes& changes, double tolerance,
                        bool same) {
  Section section{.heading = filter_text(filter)};
  add_filter_facts(filter, section.facts);
  section.facts["tolerance"] = tolerance;
  add_totals(section, "problems", totals(changes.problems), tolerance);
  add_totals(section, "calls", totals(changes.calls), tolerance);
  if (totals(changes.problems).of(ChangeKind::unknown) +
          totals(changes.calls).of(ChangeKind::unknown) >
      0) {
    section.add(
        fmt::format("unknown: the difference exceeds the tolerance, but is within the spread of "
                    "the repetitions (at least {} are needed)",
                    least_repetitions));
  }
  const auto crowded = std::ranges::count_if(changes.calls, [](const Change& change) {
    return change.kind == ChangeKind::unknown && is_crowded(change);
  });
  section.facts["crowded_calls"] = crowded;
  if (crowded > 0) {
    section.add(fmt::format(
        "{} of the unknown calls were measured beside other programs: measure again on a quiet "
        "machine, or both in turns with benanza-regress",
        crowded));
  }
  if (changes.told_from) {
    section.add(fmt::format(
        "within one process: another process of the same program may differ as much; ratios up to "
        "{:.2f} are indistinguishable from that (--processes measures in several)",
        *changes.told_from));
  }
  section.facts["told_from_ratio"] = changes.told_from;
  section.facts["false_alarm_level"] = false_alarm_level;
  section.facts["other_backends"] = changes.other_backends;
  section.facts["only_before"] = changes.only_before;
  section.facts["only_after"] = changes.only_after;
  if (changes.only_before + changes.only_after > 0) {
    section.add(
        fmt::format("not compared: {} problems measured only before, {} only "
                    "after",
                    changes.only_before, changes.only_after));
  }
  if (changes.other_backends > 0) {
    section.add(
        fmt::format("not compared: {} problems measured by other libraries before than after",
                    changes.other_backends));
  }
  add_common(section, changes);
  Sheet problems = changes_sheet(changes.problems, false, same);
  section.csv = with_common_rows(changes, problems);
  section.add(std::move(problems));
  section.add(changes_sheet(changes.calls, true, same));
  return section;
}

}  // namespace benanza::analysis
