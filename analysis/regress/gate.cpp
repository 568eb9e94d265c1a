#include "analysis/regress/gate.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace benanza::regress {
namespace {

Pair run_pair(const RunRound& run, Unit unit, const Round& round) {
  const RowsOfRound rows = run(round);
  return {.before = timings_of(rows.before, unit), .after = timings_of(rows.after, unit)};
}

bool is_ok(const Timings& timings, std::string_view unit) {
  const auto found = timings.find(unit);
  return found != timings.end() && found->second.status == Status::ok;
}

/// A time before in every pair, and none after in any.
std::vector<std::string> lost_units(std::span<const Pair> pairs) {
  std::vector<std::string> lost;
  for (const auto& [unit, timing] : pairs.front().before) {
    if (std::ranges::all_of(pairs, [&name = unit](const Pair& pair) {
          return is_ok(pair.before, name) && !is_ok(pair.after, name);
        })) {
      lost.push_back(unit);
    }
  }
  return lost;
}

/// Evenly spread over those that are not suspected.
std::vector<std::string> controls_of(const PairedRatios& ratios,
                                     const std::vector<std::string>& suspected, std::size_t most) {
  std::vector<std::string> others;
  for (const auto& [unit, values] : ratios.of_unit) {
    if (!std::ranges::binary_search(suspected, unit)) others.push_back(unit);
  }
  std::vector<std::string> controls;
  const std::size_t step = std::max<std::size_t>(1, others.size() / std::max<std::size_t>(1, most));
  for (std::size_t i = 0; i < others.size() && controls.size() < most; i += step) {
    controls.push_back(others[i]);
  }
  return controls;
}

/// The variants that stand for these units on either side.
std::vector<VariantName> variants_of(const std::vector<std::string>& units, const Pair& pair) {
  std::vector<VariantName> variants;
  for (const std::string& unit : units) {
    for (const Timings* side : {&pair.before, &pair.after}) {
      const auto found = side->find(unit);
      if (found == side->end() || found->second.status != Status::ok) continue;
      if (std::ranges::find(variants, found->second.variant) == variants.end()) {
        variants.push_back(found->second.variant);
      }
    }
  }
  return variants;
}

/// What confirming pairs measured: the units themselves, and all their algorithms by name.
struct Confirmed {
  std::vector<Pair> units{};
  std::vector<Pair> calls{};
};

void confirm_once(Confirmed& confirmed, const GateOptions& options, const RunRound& run,
                  const std::vector<VariantName>& variants, const Pair& screened, int number) {
  Round round{.only = variants, .repetitions = options.confirming_repetitions, .number = number};
  Pair calls = run_pair(run, Unit::call, round);
  // A choice is the algorithm that the side picked when it was free to pick.
  Pair units;
  for (const auto& [from, to, choice] : {std::tuple{&calls.before, &units.before, &screened.before},
                                         std::tuple{&calls.after, &units.after, &screened.after}}) {
    for (const auto& [unit, picked] : *choice) {
      const auto found = from->find(to_string(picked.variant));
      if (found != from->end()) to->emplace(unit, found->second);
    }
  }
  confirmed.units.push_back(std::move(units));
  confirmed.calls.push_back(std::move(calls));
}

LogRatios only(const LogRatios& ratios, const std::vector<std::string>& units) {
  LogRatios chosen;
  for (const std::string& unit : units) {
    const auto found = ratios.find(unit);
    chosen[unit] = found == ratios.end() ? std::vector<double>{} : found->second;
  }
  return chosen;
}

/// A slower unit, whose two sides ran algorithms of different names: does the new side still have
/// the old one, no slower than it was?
Verdict why_slower(const Judged& judged, const Confirmed& confirmed,
                   std::span<const std::string> control_calls, double limit) {
  if (judged.before.variant == judged.after.variant) return Verdict::kernel;
  const LogRatios ratios = paired_ratios(confirmed.calls, control_calls).of_unit;
  const auto old = ratios.find(to_string(judged.before.variant));
  if (old == ratios.end()) return Verdict::kernel;
  return trimmed_mean(old->second) <= limit ? Verdict::heuristic : Verdict::kernel;
}

void add_estimate(Judged& judged, std::span<const double> ratios) {
  judged.pairs = ratios.size();
  if (ratios.empty()) return;
  RepetitionSum sum;
  sum.add(ratios);
  judged.ratio = std::exp(sum.value());
  if (const auto estimate = sum.estimate()) {
    const Interval interval = estimate->interval();
    judged.interval = {std::exp(interval.low), std::exp(interval.high)};
  }
}

Timing timing_in(const Timings& timings, const std::string& unit) {
  const auto found = timings.find(unit);
  return found == timings.end() ? Timing{.status = Status::unsupported, .reason = "not there"}
                                : found->second;
}

/// Measures the suspects until each is decided or the last look is over.
std::vector<Judged> confirm(const GateOptions& options, const RunRound& run,
                            std::vector<std::string> open, const PairedRatios& screening,
                            const Pair& screened) {
  std::vector<Judged> judged;
  const double limit = std::log1p(options.tolerance);
  const double level = options.level / static_cast<double>(options.looks.size());
  const std::vector<std::string> controls = controls_of(screening, open, options.controls);
  std::vector<std::string> control_calls;
  for (const VariantName& variant : variants_of(controls, screened)) {
    control_calls.push_back(to_string(variant));
  }
  Confirmed confirmed;
  auto number = static_cast<int>(screening.drift.size());
  for (const int look : options.looks) {
    if (open.empty()) break;
    std::vector<std::string> measured = open;
    measured.insert(measured.end(), controls.begin(), controls.end());
    const std::vector<VariantName> variants = variants_of(measured, screened);
    while (confirmed.units.size() < static_cast<std::size_t>(look)) {
      confirm_once(confirmed, options, run, variants, screened, number++);
    }
    const LogRatios ratios = only(paired_ratios(confirmed.units, controls).of_unit, open);
    std::vector<std::string> left;
    for (const auto& [unit, finding] : findings(ratios, limit, level)) {
      Judged one{.unit = unit,
                 .before = timing_in(screened.before, unit),
                 .after = timing_in(screened.after, unit)};
      add_estimate(one, ratios.at(unit));
      switch (finding) {
        case Finding::undecided:
          one.verdict = Verdict::unknown;
          if (look != options.looks.back()) {
            left.push_back(unit);
            continue;
          }
          break;
        case Finding::neither:
          one.verdict = Verdict::noise;
          break;
        case Finding::faster:
          one.verdict = Verdict::faster;
          break;
        case Finding::slower:
          one.verdict = why_slower(one, confirmed, control_calls, limit);
          break;
      }
      judged.push_back(std::move(one));
    }
    open = std::move(left);
  }
  return judged;
}

void add_drift(GateAnswer& answer, const PairedRatios& ratios, double limit, double level) {
  RepetitionSum sum;
  sum.add(ratios.drift);
  answer.drift = std::exp(sum.value());
  const auto estimate = sum.estimate();
  if (!estimate) return;
  const Interval interval = estimate->interval();
  answer.drift_interval = {std::exp(interval.low), std::exp(interval.high)};
  answer.all_slower = estimate->probability_above(limit) <= level;
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::lost:
      return "lost";
    case Verdict::kernel:
      return "kernel";
    case Verdict::heuristic:
      return "heuristic";
    case Verdict::unknown:
      return "unknown";
    case Verdict::faster:
      return "faster";
    case Verdict::noise:
      return "noise";
  }
  return "";
}

bool GateAnswer::closes() const {
  return all_slower ||
         std::ranges::any_of(judged, [](const Judged& one) { return is_regression(one.verdict); });
}

GateAnswer judge(const GateOptions& options, const RunRound& run) {
  const double limit = std::log1p(options.tolerance);
  std::vector<Pair> pairs;
  PairedRatios ratios;
  const auto enough = [&] {
    const auto count = static_cast<int>(pairs.size());
    return count >= options.most_screening_pairs ||
           (count >= options.screening_pairs && typical_error(ratios) <= limit / 2);
  };
  while (!enough()) {
    pairs.push_back(run_pair(run, options.unit, {.number = static_cast<int>(pairs.size())}));
    ratios = paired_ratios(pairs);
  }
  GateAnswer answer{.compared = ratios.of_unit.size()};
  // A hundredth of the level, so that it does not add to the rows' share.
  add_drift(answer, ratios, limit, options.level / 100);
  for (const std::string& unit : lost_units(pairs)) {
    answer.judged.push_back({.unit = unit,
                             .verdict = Verdict::lost,
                             .before = timing_in(pairs.front().before, unit),
                             .after = timing_in(pairs.front().after, unit),
                             .pairs = pairs.size()});
  }
  std::vector<Judged> confirmed =
      confirm(options, run, suspects(ratios, limit), ratios, pairs.front());
  std::ranges::move(confirmed, std::back_inserter(answer.judged));
  std::ranges::stable_sort(answer.judged, [](const Judged& a, const Judged& b) {
    if (a.verdict != b.verdict) return a.verdict < b.verdict;
    return a.ratio.value_or(1) > b.ratio.value_or(1);
  });
  return answer;
}

}  // namespace benanza::regress
