#include "analysis/regress/pairs.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace benanza::regress {
namespace {

/// A smaller rank is the library's own choice.
int rank(const Timing& timing) { return timing.heuristic_rank.value_or(1); }

std::vector<std::string_view> units_of(const Pair& pair) {
  std::vector<std::string_view> units;
  for (const auto& [unit, before] : pair.before) {
    const auto after = pair.after.find(unit);
    if (before.status != Status::ok || after == pair.after.end()) continue;
    if (after->second.status == Status::ok) units.push_back(unit);
  }
  return units;
}

double log_ratio(const Pair& pair, std::string_view unit) {
  return std::log(pair.after.find(unit)->second.seconds / pair.before.find(unit)->second.seconds);
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
  std::map<std::string, std::vector<double>, std::less<>> seconds;
  Timings timings;
  std::map<std::string, std::string, std::less<>> chosen;
  for (const Row& row : rows) {
    const std::string name = unit_name(row.variant, unit);
    Timing timing{.status = row.status,
                  .reason = row.reason,
                  .variant = row.variant,
                  .heuristic_rank = row.heuristic_rank};
    const auto [held, added] = timings.try_emplace(name, timing);
    const bool same = held->second.variant == row.variant;
    if (!added && !same && rank(timing) < rank(held->second)) {
      held->second = timing;
      seconds[name].clear();
    } else if (!added && !same) {
      continue;
    }
    if (row.status == Status::ok) {
      seconds[name].push_back(median(row.samples));
    } else {
      // One repetition that is not ok is enough.
      held->second.status = row.status;
      held->second.reason = row.reason;
    }
  }
  for (auto& [name, timing] : timings) {
    if (timing.status == Status::ok) timing.seconds = trimmed_mean(seconds[name]);
  }
  return timings;
}

PairedRatios paired_ratios(std::span<const Pair> pairs, std::span<const std::string> controls) {
  PairedRatios ratios;
  for (const Pair& pair : pairs) {
    const std::vector<std::string_view> units = units_of(pair);
    std::vector<double> all;
    std::vector<double> shown;
    for (const std::string_view unit : units) {
      all.push_back(log_ratio(pair, unit));
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

double typical_error(const PairedRatios& ratios) {
  std::vector<double> errors;
  for (const auto& [unit, values] : ratios.of_unit) {
    if (const auto one = estimate(values)) errors.push_back(one->standard_error);
  }
  return errors.empty() ? std::numeric_limits<double>::infinity() : median(errors);
}

std::vector<std::string> suspects(const PairedRatios& ratios, double limit) {
  std::vector<std::string> units;
  std::vector<Uncertain> estimates;
  for (const auto& [unit, values] : ratios.of_unit) {
    if (const auto one = estimate(values)) {
      units.push_back(unit);
      estimates.push_back(*one);
    }
  }
  moderate(estimates);
  // One in fifty of what did not change: their second look costs little.
  constexpr double level = 0.02;
  std::vector<std::string> found;
  for (std::size_t i = 0; i < units.size(); ++i) {
    Uncertain distance = estimates[i];
    distance.value = std::abs(distance.value);
    if (distance.value > limit / 3 && distance.probability_above(0) < level) {
      found.push_back(units[i]);
    }
  }
  return found;
}

std::map<std::string, Finding, std::less<>> findings(const LogRatios& ratios, double limit,
                                                     double level) {
  std::map<std::string, Finding, std::less<>> found;
  std::vector<std::string> units;
  std::vector<double> beyond;
  std::vector<double> below;
  std::vector<bool> slower;
  for (const auto& [unit, values] : ratios) {
    const auto one = estimate(values);
    if (!one) {
      found[unit] = Finding::undecided;
      continue;
    }
    Uncertain distance = *one;
    distance.value = std::abs(distance.value);
    units.push_back(unit);
    const double above = distance.probability_above(limit);
    beyond.push_back(std::min(1.0, 2 * above));
    below.push_back(1 - above);
    slower.push_back(one->value > 0);
  }
  const std::vector<double> adjusted = holm_adjusted(beyond);
  constexpr double cleared = 0.05;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (adjusted[i] <= level) {
      found[units[i]] = slower[i] ? Finding::slower : Finding::faster;
    } else {
      found[units[i]] = below[i] <= cleared ? Finding::neither : Finding::undecided;
    }
  }
  return found;
}

}  // namespace benanza::regress
