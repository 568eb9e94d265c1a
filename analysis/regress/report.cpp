#include "analysis/regress/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "analysis/render/junit.h"
#include "analysis/render/table.h"

namespace benanza::regress {
namespace {

using namespace analysis;

std::string algorithm_text(const Timing& timing) {
  if (timing.status == Status::ok) return timing.variant.algorithm;
  return std::string(to_string(timing.status)) +
         (timing.reason.empty() ? "" : ": " + timing.reason);
}

std::optional<double> seconds_of(const Timing& timing) {
  if (timing.status != Status::ok) return std::nullopt;
  return timing.seconds();
}

std::string drift_text(const GateAnswer& answer) {
  std::string text = fmt::format("all together: {:.3f} times as long", answer.drift);
  if (answer.drift_interval) {
    text += fmt::format(" (95%: {:.3f} to {:.3f})", answer.drift_interval->low,
                        answer.drift_interval->high);
  }
  return text + (answer.all_slower ? ": EVERYTHING IS SLOWER" : "");
}

std::string counts_text(const GateAnswer& answer) {
  std::string text;
  for (const Verdict verdict : verdicts) {
    const auto count = std::ranges::count(answer.judged, verdict, &Judged::verdict);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(verdict));
  }
  return text;
}

}  // namespace

Section gate_section(const GateAnswer& answer, const GateOptions& options,
                     const Reproducer& reproducer) {
  Section section;
  section.add(fmt::format("{} compared, tolerance {:g}%: {}", answer.compared,
                          options.tolerance * 100, counts_text(answer)));
  section.add(drift_text(answer));
  section.facts["compared"] = answer.compared;
  section.facts["tolerance"] = options.tolerance;
  section.facts["level"] = options.level;
  section.facts["drift"] = answer.drift;
  section.facts["all_slower"] = answer.all_slower;
  section.facts["regression"] = answer.closes();
  section.csv_facts.clear();
  const Table<Judged> table{
      {"verdict", "verdict", &Judged::verdict},
      {"ratio", "ratio", thousandths, &Judged::ratio},
      {"ratio 95%", "ratio_95", &Judged::interval},
      {"rounds", "rounds", &Judged::rounds},
      {"before us", "before_seconds", micro,
       [](const Judged& one) { return seconds_of(one.before); }},
      {"after us", "after_seconds", micro, [](const Judged& one) { return seconds_of(one.after); }},
      {"before", "before", [](const Judged& one) { return algorithm_text(one.before); }},
      {"after", "after", [](const Judged& one) { return algorithm_text(one.after); }},
      {"problem", "problem", &Judged::unit}};
  section.add(table.sheet(answer.judged, {.name = "verdicts", .all_rows = true}));
  std::vector<Judged> worse;
  std::ranges::copy_if(answer.judged, std::back_inserter(worse),
                       [](const Judged& one) { return is_regression(one.verdict); });
  const Table<Judged> again{{"problem", "problem", &Judged::unit},
                            {"command", "command", reproducer, any_width}};
  section.add(
      again.sheet(worse, {.name = "reproducers", .caption = "to measure again", .all_rows = true}));
  return section;
}

std::string junit_suite(std::string_view backend, const GateAnswer& answer,
                        const GateOptions& options, const Reproducer& reproducer) {
  std::vector<analysis::JunitCase> cases{{.group = "benanza",
                                          .name = "all together",
                                          .failure = answer.all_slower ? drift_text(answer) : ""}};
  for (const Judged& one : answer.judged) {
    analysis::JunitCase& made = cases.emplace_back();
    made.group = "benanza." + std::string(to_string(one.verdict));
    made.name = one.unit;
    if (!is_regression(one.verdict)) continue;
    made.failure = fmt::format("{}: {} times as long, tolerance {:g}%", to_string(one.verdict),
                               one.ratio ? fmt::format("{:.3f}", *one.ratio) : "no time",
                               options.tolerance * 100);
    made.detail = reproducer(one);
  }
  return analysis::junit_suite("benanza-regress." + std::string(backend), cases);
}

}  // namespace benanza::regress
