#include "analysis/regress/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "analysis/render/junit.h"
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

/// The problem of a unit, by the side that has a time.
std::string key_of(const Judged& one) {
  const Timing& timing = one.after.variant.key.empty() ? one.before : one.after;
  return timing.variant.key;
}

std::string failure_text(const Judged& one, const GateOptions& options) {
  return fmt::format("{}: {} times as long, tolerance {:g}%", to_string(one.verdict),
                     one.ratio ? fmt::format("{:.3f}", *one.ratio) : "no time",
                     options.tolerance * 100);
}

/// As GitHub reads them: in a property, colons and commas separate.
std::string escaped(std::string_view text, bool is_property) {
  std::string made;
  for (const char letter : text) {
    const bool separates = is_property && (letter == ':' || letter == ',');
    if (letter == '%' || letter == '\r' || letter == '\n' || separates) {
      made += fmt::format("%{:02X}", static_cast<unsigned>(letter));
    } else {
      made += letter;
    }
  }
  return made;
}

std::string counts_text(const GateAnswer& answer) {
  std::string text;
  for (const Verdict verdict : verdicts) {
    const auto count = std::ranges::count(answer.judged, verdict, &Judged::verdict);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(verdict));
  }
  return text;
}

std::string model_text(const ModelGate& gate, const GateOptions& options) {
  return gate.model + ": " + verdict_text(gate.verdict, options.tolerance);
}

void add_models(Section& section, const GateOptions& options, const OfModels& models) {
  auto facts = nlohmann::ordered_json::array();
  for (const ModelGate& gate : models.gates) {
    section.add(model_text(gate, options));
    facts.push_back({{"model", gate.model},
                     {"is_worse", gate.verdict.is_worse(options.tolerance)},
                     {"slower_layers", gate.verdict.slower.size()},
                     {"slower_seconds", gate.verdict.slower_seconds},
                     {"lost_layers", gate.verdict.lost.size()}});
  }
  if (models.unused > 0) {
    section.add(fmt::format("{} verdicts on calls that no bound uses are left out", models.unused));
  }
  section.facts["models"] = std::move(facts);
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

Section gate_section(const GateAnswer& answer, const GateOptions& options,
                     const Reproducer& reproducer, const OfModels& models) {
  Section section;
  add_models(section, options, models);
  section.add(fmt::format("{} compared, tolerance {:g}%: {}", answer.compared,
                          options.tolerance * 100, counts_text(answer)));
  section.add(drift_text(answer));
  section.facts["compared"] = answer.compared;
  section.facts["tolerance"] = options.tolerance;
  section.facts["level"] = options.level;
  section.facts["drift"] = answer.drift;
  section.facts["all_slower"] = answer.all_slower;
  section.facts["regression"] = models.close(answer, options);
  section.csv_facts.clear();
  Table<Judged> table{
      {"verdict", "verdict", &Judged::verdict},
      {"ratio", "ratio", thousandths, &Judged::ratio},
      {"ratio 95%", "ratio_95", &Judged::interval},
      {"rounds", "rounds", &Judged::rounds},
      {"before us", "before_seconds", micro,
       [](const Judged& one) { return seconds_of(one.before); }},
      {"after us", "after_seconds", micro, [](const Judged& one) { return seconds_of(one.after); }},
      {"before", "before", [](const Judged& one) { return algorithm_text(one.before); }},
      {"after", "after", [](const Judged& one) { return algorithm_text(one.after); }},
      {"problem", "problem", &Judged::unit, any_width}};
  table.add_if(models.layers != nullptr,
               {{"layers", "layers", [&](const Judged& one) { return models.layers(key_of(one)); },
                 any_width}});
  section.add(table.sheet(answer.judged, {.name = "verdicts", .all_rows = true}));
  std::vector<Judged> worse;
  std::ranges::copy_if(answer.judged, std::back_inserter(worse),
                       [](const Judged& one) { return is_regression(one.verdict); });
  const Table<Judged> again{{"problem", "problem", &Judged::unit, any_width},
                            {"command", "command", reproducer, any_width}};
  section.add(
      again.sheet(worse, {.name = "reproducers", .caption = "to measure again", .all_rows = true}));
  return section;
}

std::string junit_suite(std::string_view backend, const GateAnswer& answer,
                        const GateOptions& options, const Reproducer& reproducer,
                        const OfModels& models) {
  std::vector<analysis::JunitCase> cases{{.group = "benanza",
                                          .name = "all together",
                                          .failure = answer.all_slower ? drift_text(answer) : ""}};
  for (const ModelGate& gate : models.gates) {
    const bool is_worse = gate.verdict.is_worse(options.tolerance);
    cases.push_back({.group = "benanza.model",
                     .name = gate.model,
                     .failure = is_worse ? verdict_text(gate.verdict, options.tolerance) : ""});
  }
  const bool closes = models.close(answer, options);
  for (const Judged& one : answer.judged) {
    analysis::JunitCase& made = cases.emplace_back();
    made.group = "benanza." + std::string(to_string(one.verdict));
    made.name = one.unit;
    if (!is_regression(one.verdict) || !closes) continue;
    made.failure = failure_text(one, options);
    made.detail = reproducer(one);
    if (models.layers) made.detail = models.layers(key_of(one)) + '\n' + made.detail;
  }
  return analysis::junit_suite("benanza-regress." + std::string(backend), cases);
}

std::string github_annotations(std::string_view backend, const GateAnswer& answer,
                               const GateOptions& options, const OfModels& models) {
  std::string text;
  const auto add = [&](std::string_view kind, const std::string& title, const std::string& what) {
    text += fmt::format("::{} title={}::{}\n", kind, escaped(title, true), escaped(what, false));
  };
  const std::string program = fmt::format("benanza-regress, {}", backend);
  if (answer.all_slower) add("error", program, drift_text(answer));
  for (const ModelGate& gate : models.gates) {
    if (gate.verdict.is_worse(options.tolerance)) add("error", program, model_text(gate, options));
  }
  const bool closes = models.close(answer, options);
  for (const Judged& one : answer.judged) {
    const bool is_unsettled = one.verdict == Verdict::unknown;
    if (!is_regression(one.verdict) && !is_unsettled) continue;
    const std::string where = models.layers ? models.layers(key_of(one)) : "";
    add(is_unsettled || !closes ? "warning" : "error", program,
        fmt::format("{}: {}{}", one.unit, failure_text(one, options),
                    where.empty() ? "" : " (" + where + ")"));
  }
  return text;
}

}  // namespace benanza::regress
