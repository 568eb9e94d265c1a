#include "analysis/regress/pairs.h"

#include <algorithm>
#include <cmath>

namespace benanza::regress {
namespace {

std::vector<std::string_view> units_of(const Pair& pair) {
  std::vector<std::string_view> units;
  for (const auto& [unit, before] : pair.before) {
    const auto after = pair.after.find(unit);
    if (before.status != Status::ok || after == pair.after.end()) continue;
    if (after->second.status == Status::ok) units.push_back(unit);
  }
  return units;
}

std::optional<Uncertain> estimate(std::span<const double> ratios) {
  if (ratios.empty()) return std::nullopt;
  RepetitionSum sum;
  sum.add(ratios);
  return sum.estimate();
}

}  // namespace

std::string unit_name(const VariantName& variant, Unit unit) {
  if (unit == Unit::call) return to_string(variant);
  VariantName choice = variant;
  choice.algorithm = "choice";
  return to_string(choice);
}

Timings timings_of(std::span<const Row> rows, Unit unit) {
  Timings timings;
  for (const Row& row : rows) {
    timings.try_emplace(unit_name(row.variant, unit), Timing{.status = row.status,
                                                             .reason = row.reason,
                                                             .visits = row.samples,
                                                             .variant = row.variant});
  }
  return timings;
}

double log_ratio(const Timing& before, const Timing& after) {
  if (std::max(before.seconds(), after.seconds()) > long_call_seconds) {
    return std::log(std::ranges::min(after.visits) / std::ranges::min(before.visits));
  }
  std::vector<double> ratios;
  const std::size_t visits = std::min(before.visits.size(), after.visits.size());
  for (std::size_t i = 0; i < visits; ++i) {
    ratios.push_back(std::log(after.visits[i] / before.visits[i]));
  }
  return median(ratios);
}

PairedRatios paired_ratios(std::span<const Pair> pairs, std::span<const std::string> controls) {
  PairedRatios ratios;
  for (const Pair& pair : pairs) {
    const std::vector<std::string_view> units = units_of(pair);
    std::vector<double> all;
    std::vector<double> shown;
    for (const std::string_view unit : units) {
      all.push_back(log_ratio(pair.before.find(unit)->second, pair.after.find(unit)->second));
      if (controls.empty() || std::ranges::find(controls, unit) != controls.end()) {
        shown.push_back(all.back());
      }
    }
    const double drift = shown.size() < least_units_of_drift ? 0 : median(shown);
    ratios.drift.push_back(drift);
    for (std::size_t i = 0; i < units.size(); ++i) {
      ratios.of_unit[std::string(units[i])].push_back(all[i] - drift);
    }
  }
  return ratios;
}

std::vector<std::string> suspects(const PairedRatios& ratios, double beyond) {
  std::vector<std::string> found;
  for (const auto& [unit, values] : ratios.of_unit) {
    if (std::abs(trimmed_mean(values)) > beyond) found.push_back(unit);
  }
  return found;
}

std::map<std::string, Finding, std::less<>> findings(const LogRatios& ratios, double limit,
                                                     double level) {
  std::map<std::string, Finding, std::less<>> found;
  std::vector<std::string> units;
  std::vector<Uncertain> estimates;
  for (const auto& [unit, values] : ratios) {
    if (const auto one = estimate(values)) {
      units.push_back(unit);
      estimates.push_back(*one);
    } else {
      found[unit] = Finding::undecided;
    }
  }
  moderate(estimates);
  std::vector<double> beyond;
  std::vector<double> below;
  for (Uncertain distance : estimates) {
    distance.value = std::abs(distance.value);
    const double above = distance.probability_above(limit);
    beyond.push_back(std::min(1.0, 2 * above));
    below.push_back(1 - above);
  }
  const std::vector<double> adjusted = holm_adjusted(beyond);
  constexpr double cleared = 0.05;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (adjusted[i] <= level) {
      found[units[i]] = estimates[i].value > 0 ? Finding::slower : Finding::faster;
    } else {
      found[units[i]] = below[i] <= cleared ? Finding::neither : Finding::undecided;
    }
  }
  return found;
}

}  // namespace benanza::regress
