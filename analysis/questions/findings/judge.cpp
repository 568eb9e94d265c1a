#include "analysis/questions/findings/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "analysis/questions/common/subject.h"
#include "analysis/questions/findings/finding.h"
#include "analysis/render/table.h"
#include "analysis/render/text.h"
#include "core/statistics/summary.h"

namespace benanza::analysis {
namespace {

/// No more than `most` can be gained. False if nothing is left.
bool limit_gain(Finding& finding, double most) {
  finding.gain_seconds = std::min(*finding.gain_seconds, most);
  if (finding.interval) {
    finding.interval =
        Interval{std::min(finding.interval->low, most), std::min(finding.interval->high, most)};
  }
  return *finding.gain_seconds > 0;
}

/// Of the gain of a plan over `before`, by its repetitions; empty for fewer than three.
std::optional<Interval> plan_interval(const PlanRun& plan, double before) {
  if (plan.seconds.size() < 3) return std::nullopt;
  const auto [least, most] = std::ranges::minmax(plan.seconds);
  return Interval{before - most, before - least};
}

/// False if the plan takes as long as the reference.
bool is_borne_out(Finding& finding, const Baseline& reference) {
  const double seconds = typical(finding.plan->seconds);
  const double shown = reference.seconds - seconds;
  if (shown >= *finding.gain_seconds) {
    finding.what +=
        fmt::format(" Run as a plan, the bound's calls take {}.", milliseconds(seconds));
    return true;
  }
  finding.what +=
      fmt::format(" Run as a plan, the bound's calls take {}, which confirms {} of {}.",
                  milliseconds(seconds), milliseconds(shown), milliseconds(*finding.gain_seconds));
  finding.gain_seconds = shown;
  finding.interval = plan_interval(*finding.plan, reference.seconds);
  finding.certainty = Certainty::timed;
  return shown > 0;
}

bool is_within_noise(const Finding& finding, const Baseline& reference) {
  const double gain = *finding.gain_seconds;
  if (!finding.interval) return gain < least_share_unknown * reference.seconds;
  return finding.interval->low <= 0 || gain < least_share * reference.seconds;
}

double order_value(const Judged& one) {
  const double gain = one.finding.gain_seconds.value_or(0);
  return one.finding.certainty == Certainty::at_most ? gain / 2 : gain;
}

/// The gain, worth the less the less certain it is.
double worth(const Finding& finding) {
  const double half = finding.certainty == Certainty::estimated ? 0.5 : 1;
  return *finding.gain_seconds * (finding.certainty == Certainty::at_most ? 0.25 : half);
}

/// Whoever follows an advice does not gain by the same advice again: of findings with the same one,
/// that of the greatest worth stays.
void keep_one_for_each_remedy(std::vector<Judged>& all) {
  const auto remedy_of = [](const Finding& finding) {
    return finding.remedy.action + finding.remedy.command;
  };
  const auto is_line = [](const Finding& finding) {
    return finding.gain_seconds && !finding.remedy.command.empty();
  };
  std::map<std::string, const Finding*> best;
  for (const Judged& one : all) {
    if (!is_line(one.finding)) continue;
    const Finding*& known = best.try_emplace(remedy_of(one.finding), &one.finding).first->second;
    if (worth(one.finding) > worth(*known)) known = &one.finding;
  }
  std::vector<Judged> kept;
  for (Judged& one : all) {
    if (!is_line(one.finding) || best.at(remedy_of(one.finding)) == &one.finding) {
      kept.push_back(std::move(one));
    }
  }
  all = std::move(kept);
}

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
                      .code = runnable(finding.remedy.command),
                      .weight = one.share().value_or(0)};
  if (finding.certainty == Certainty::at_most) point.weight /= 2;
  if (!finding.layers.empty()) {
    point.lines.push_back(fmt::format("{}: {}.", finding.layers.size() == 1 ? "Layer" : "Layers",
                                      matter.names_text(finding.layers)));
  }
  if (!finding.remedy.action.empty()) point.lines.push_back("Do: " + finding.remedy.action);
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
          {"", "action", [](const Judged& one) { return one.finding.remedy.action; }},
          {"", "command", [](const Judged& one) { return runnable(one.finding.remedy.command); }}};
}

}  // namespace

std::string_view to_string(Certainty certainty) {
  constexpr std::string_view names[] = {"timed", "from measured calls", "estimated", "at most"};
  return names[static_cast<std::size_t>(certainty)];
}

std::optional<double> Judged::share() const {
  if (!finding.gain_seconds || !(reference.seconds > 0)) return std::nullopt;
  return *finding.gain_seconds / reference.seconds;
}

std::optional<Judged> upheld(Finding finding, const Matter& matter) {
  const Baseline reference = finding.reference.value_or(matter.reference(finding.affects));
  if (finding.gain_seconds) {
    const double most = reference.seconds - finding.leads_to_seconds.value_or(0);
    if (!limit_gain(finding, most)) return std::nullopt;
    if (finding.plan != nullptr && !is_borne_out(finding, reference)) return std::nullopt;
    if (is_within_noise(finding, reference)) return std::nullopt;
  }
  const bool is_hidden =
      finding.gain_seconds && finding.affects == Affects::device && matter.waits_for_host();
  return Judged{.finding = std::move(finding), .reference = reference, .is_hidden = is_hidden};
}

std::vector<Judged> findings_of(const Matter& matter) {
  std::vector<Judged> all;
  for (const FindingKind& kind : finding_kinds()) {
    for (Finding& finding : kind.find(matter)) {
      if (auto one = upheld(std::move(finding), matter)) all.push_back(*std::move(one));
    }
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, order_value);
  keep_one_for_each_remedy(all);
  return all;
}

std::vector<Judged> first_findings(const std::vector<Judged>& all) {
  constexpr std::ptrdiff_t most_unknown = 2;
  const auto is_known = [](const Judged& one) { return one.finding.gain_seconds.has_value(); };
  const auto known = std::ranges::count_if(all, is_known);
  const auto unknown = std::min(most_unknown, std::ssize(all) - known);
  const auto shown = std::min(known, static_cast<std::ptrdiff_t>(most_findings) - unknown);
  std::vector<Judged> first(all.begin(), all.begin() + shown);
  first.insert(first.end(), all.begin() + known, all.begin() + known + unknown);
  return first;
}

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
