#include "analysis/regress/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/render/junit.h"

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
  Sheet sheet{.name = "verdicts",
              .columns = {{"verdict", "verdict"},
                          {"ratio", "ratio", true},
                          {"ratio 95%", "ratio_95"},
                          {"rounds", "rounds", true},
                          {"before us", "before_seconds", true},
                          {"after us", "after_seconds", true},
                          {"before", "before"},
                          {"after", "after"},
                          {"problem", "problem"}},
              .all_rows = true};
  Sheet lines{.name = "reproducers", .caption = "to measure again", .all_rows = true};
  lines.columns = {{"problem", "problem"}, {"command", "command", false, any_width}};
  for (const Judged& one : answer.judged) {
    sheet.rows.push_back({text_cell(std::string(to_string(one.verdict))), ratio_cell(one.ratio),
                          interval_cell(one.interval), count_cell(one.rounds),
                          us_cell(seconds_of(one.before)), us_cell(seconds_of(one.after)),
                          text_cell(algorithm_text(one.before)),
                          text_cell(algorithm_text(one.after)), text_cell(one.unit)});
    if (is_regression(one.verdict)) {
      lines.rows.push_back({text_cell(one.unit), text_cell(reproducer(one))});
    }
  }
  section.add(std::move(sheet));
  section.add(std::move(lines));
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
