#include "analysis/regress/versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/render/table.h"

namespace benanza::regress {
namespace {

using namespace analysis;

bool is_shown(const Judged& one) {
  return is_regression(one.verdict) || one.verdict == Verdict::faster ||
         one.verdict == Verdict::unknown;
}

Cell step_cell(const std::optional<Judged>& step) {
  if (!step) return {.shown = "=", .value = nullptr};
  std::string text(to_string(step->verdict));
  if (step->ratio) text = fmt::format("{:.2f} {}", *step->ratio, text);
  return {.shown = text, .value = text};
}

}  // namespace

std::optional<std::size_t> VersionChange::came_in() const {
  const auto first = std::ranges::find_if(
      steps, [](const auto& step) { return step && is_regression(step->verdict); });
  if (first == steps.end()) return std::nullopt;
  return static_cast<std::size_t>(first - steps.begin());
}

std::vector<VersionChange> version_changes(std::span<const GateAnswer> answers) {
  std::map<std::string, VersionChange> by_unit;
  for (std::size_t step = 0; step < answers.size(); ++step) {
    for (const Judged& one : answers[step].judged) {
      if (!is_shown(one)) continue;
      VersionChange& change = by_unit[one.unit];
      change.unit = one.unit;
      change.steps.resize(answers.size());
      change.steps[step] = one;
    }
  }
  std::vector<VersionChange> changes;
  for (auto& [unit, change] : by_unit) changes.push_back(std::move(change));
  std::ranges::stable_partition(
      changes, [](const VersionChange& change) { return change.came_in().has_value(); });
  return changes;
}

Section versions_section(const std::string& library, const std::vector<std::string>& versions,
                         std::span<const GateAnswer> answers) {
  const std::vector<VersionChange> changes = version_changes(answers);
  Section section;
  section.heading = library + ": versions";
  section.facts["versions"] = versions;
  section.csv_facts.clear();
  for (std::size_t step = 0; step < answers.size(); ++step) {
    const auto here = [&](const VersionChange& change) { return change.came_in() == step; };
    section.add(fmt::format(
        "{}: {} of {} problems first became slower here, all together {:.3f} "
        "times as long{}",
        versions[step + 1], std::ranges::count_if(changes, here), answers[step].compared,
        answers[step].drift, answers[step].all_slower ? ": EVERYTHING IS SLOWER" : ""));
  }
  Table<VersionChange> table{{"came in", "came_in", [&](const VersionChange& change) {
                                const auto step = change.came_in();
                                return step ? versions[*step + 1] : std::string("-");
                              }}};
  for (std::size_t step = 0; step < answers.size(); ++step) {
    table.add({versions[step + 1], versions[step + 1],
               [step](const VersionChange& change) { return step_cell(change.steps[step]); }});
  }
  table.add({"problem", "problem", &VersionChange::unit, any_width});
  section.add(table.sheet(changes, {.name = "changes", .all_rows = true}));
  return section;
}

}  // namespace benanza::regress
