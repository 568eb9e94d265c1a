#include "analysis/questions/findings/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

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
  const auto remedy_of = [](const Finding& finding) { return finding.action + finding.command; };
  const auto is_line = [](const Finding& finding) {
    return finding.gain_seconds && !finding.command.empty();
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

}  // namespace

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

}  // namespace benanza::analysis
