#include "analysis/questions/findings/section.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "analysis/questions/common/subject.h"
#include "analysis/render/table.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

/// "3.998 ms, 88% of PyTorch's latency (3.900 to 4.100), timed".
std::string gain_text(const Judged& one) {
  const Finding& finding = one.finding;
  if (!finding.gain_seconds) return "gain not known";
  const bool is_limit = finding.certainty == Certainty::at_most;
  std::string text =
      fmt::format("{}{}, {:.1f}% of {}", is_limit ? "at most " : "",
                  milliseconds(*finding.gain_seconds), *one.share() * 100, one.reference.name);
  if (finding.interval) {
    text += fmt::format(" ({:.3f} to {:.3f})", finding.interval->low * 1e3,
                        finding.interval->high * 1e3);
  } else if (!is_limit) {
    text += " (spread not known)";
  }
  if (!is_limit) text += fmt::format(", {}", to_string(finding.certainty));
  if (one.is_hidden) text += "; takes effect once the GPU no longer waits for the host";
  return text;
}

/// Where there is no checkout, another program does what scripts/bench does: $BENANZA_BENCH.
std::string runnable(std::string command) {
  constexpr std::string_view script = "scripts/bench";
  const char* const other = std::getenv("BENANZA_BENCH");
  if (other != nullptr && command.starts_with(script)) command.replace(0, script.size(), other);
  return command;
}

Points::Point point_of(const Matter& matter, const Judged& one) {
  const Finding& finding = one.finding;
  Points::Point point{.head = finding.cause + ": " + gain_text(one),
                      .lines = {finding.what},
                      .code = runnable(finding.command),
                      .weight = one.share().value_or(0)};
  if (finding.certainty == Certainty::at_most) point.weight /= 2;
  if (!finding.layers.empty()) {
    point.lines.push_back(fmt::format("{}: {}.", finding.layers.size() == 1 ? "Layer" : "Layers",
                                      matter.names_text(finding.layers)));
  }
  if (!finding.action.empty()) point.lines.push_back("Do: " + finding.action);
  return point;
}

Table<Judged> judged_table(const Matter& matter) {
  const auto of = [](auto member) {
    return [member](const Judged& one) { return one.finding.*member; };
  };
  return {{"", "cause", of(&Finding::cause)},
          {"", "what", of(&Finding::what)},
          {"", "gain_seconds", milli, of(&Finding::gain_seconds)},
          {"", "gain_interval_seconds",
           [](const Judged& one) { return Cell{.value = spread_json(one.finding.interval)}; }},
          {"", "certainty", of(&Finding::certainty)},
          {"", "share", percent, &Judged::share},
          {"", "of", [](const Judged& one) { return one.reference.name; }},
          {"", "of_seconds", milli, [](const Judged& one) { return one.reference.seconds; }},
          {"", "hidden_by_launches", &Judged::is_hidden},
          {"", "layers",
           [&matter](const Judged& one) {
             return Cell{.value = names_of(matter.graph(), one.finding.layers)};
           }},
          {"", "action", of(&Finding::action)},
          {"", "command", [](const Judged& one) { return runnable(one.finding.command); }}};
}

}  // namespace

Points findings_points(const Matter& matter, const std::vector<Judged>& shown, std::size_t all) {
  Points points{.title = "What would help most"};
  if (shown.empty()) {
    points.title =
        fmt::format("Findings: nothing above {:.0f}% of {} ({:.0f}% where the spread is not known)",
                    least_share * 100, matter.whole().name, least_share_unknown * 100);
    return points;
  }
  for (const Judged& one : shown) points.points.push_back(point_of(matter, one));
  points.note = "Each gain is for one change alone; together they gain less than their sum.";
  if (all > shown.size()) {
    points.note += fmt::format(" `benanza-analyze findings` lists {} more.", all - shown.size());
  }
  return points;
}

void begin_with_findings(Section& section, const Matter& matter) {
  const std::vector<Judged> all = findings_of(matter);
  const std::vector<Judged> shown = first_findings(all);
  section.blocks.insert(section.blocks.begin(), findings_points(matter, shown, all.size()));
  section.facts["findings"] = judged_table(matter).json(shown);
}

Section findings_section(const Matter& matter) {
  const Subject& subject = matter.subject();
  Section section = model_section(subject.graph, subject.filter, subject.movement());
  const std::vector<Judged> all = findings_of(matter);
  section.add(findings_points(matter, all, all.size()));
  section.facts["findings"] = judged_table(matter).json(all);
  section.csv = judged_table(matter).sheet(all);
  return section;
}

}  // namespace benanza::analysis
