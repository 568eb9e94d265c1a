#include "analysis/regress/gate.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace benanza::regress {
namespace {

bool is_ok(const Timings& timings, std::string_view unit) {
  const auto found = timings.find(unit);
  return found != timings.end() && found->second.status == Status::ok;
}

/// Returns the units with a time before in every round, and with none after in any.
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

/// Returns control units, evenly spread over those that are not suspected.
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

/// Returns the variants that represent these units on either side.
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

/// The rounds of a gate: the first measures everything, the others the given units and the
/// controls.
class Rounds {
 public:
  Rounds(const GateOptions& options, const RunRound& run) : options_(options), run_(run) {
    const RowsOfRound rows = run_({.number = count_++});
    first_ = {.before = timings_of(rows.before, options.unit),
              .after = timings_of(rows.after, options.unit)};
    units_.push_back(first_);
    screened_ = paired_ratios(units_);
    drifts_ = screened_.drift;
  }

  const Pair& first() const { return first_; }
  const PairedRatios& screened() const { return screened_; }
  /// What all units have in common, per round.
  const std::vector<double>& drifts() const { return drifts_; }
  /// Rounds since the last forget().
  const std::vector<Pair>& units() const { return units_; }
  PairedRatios ratios() const { return paired_ratios(units_, controls_); }
  /// The same for all algorithms by name.
  PairedRatios call_ratios() const {
    std::vector<std::string> names;
    for (const VariantName& variant : variants_of(controls_, first_)) {
      names.push_back(to_string(variant));
    }
    return paired_ratios(calls_, names);
  }

  void choose_controls(const std::vector<std::string>& suspected) {
    controls_ = controls_of(screened_, suspected, options_.controls);
  }
  void measure(std::vector<std::string> units) {
    units.insert(units.end(), controls_.begin(), controls_.end());
    if (units.empty()) return;
    const RowsOfRound rows = run_({.only = variants_of(units, first_), .number = count_++});
    calls_.push_back({.before = timings_of(rows.before, Unit::call),
                      .after = timings_of(rows.after, Unit::call)});
    units_.push_back({.before = as_picked(calls_.back().before, first_.before),
                      .after = as_picked(calls_.back().after, first_.after)});
    drifts_.push_back(paired_ratios({&units_.back(), 1}, controls_).drift.front());
  }
  void forget() {
    units_.clear();
    calls_.clear();
  }

 private:
  /// Maps each choice to the algorithm that this side picked in the first round.
  static Timings as_picked(const Timings& calls, const Timings& picks) {
    Timings picked;
    for (const auto& [unit, pick] : picks) {
      const auto found = calls.find(to_string(pick.variant));
      if (found != calls.end()) picked.emplace(unit, found->second);
    }
    return picked;
  }

  const GateOptions& options_;
  const RunRound& run_;
  int count_ = 0;
  Pair first_;
  PairedRatios screened_;
  std::vector<std::string> controls_;
  std::vector<double> drifts_;
  std::vector<Pair> units_;
  std::vector<Pair> calls_;
};

LogRatios only(const LogRatios& ratios, const std::vector<std::string>& units) {
  LogRatios chosen;
  for (const std::string& unit : units) {
    const auto found = ratios.find(unit);
    chosen[unit] = found == ratios.end() ? std::vector<double>{} : found->second;
  }
  return chosen;
}

/// Returns why a unit is slower: `heuristic` if the sides picked different algorithms and the new
/// side still runs the old one without a slowdown.
Verdict why_slower(const Judged& judged, const Rounds& rounds, double limit) {
  if (judged.before.variant == judged.after.variant) return Verdict::kernel;
  const LogRatios ratios = rounds.call_ratios().of_unit;
  const auto old = ratios.find(to_string(judged.before.variant));
  if (old == ratios.end()) return Verdict::kernel;
  return trimmed_mean(old->second) <= limit ? Verdict::heuristic : Verdict::kernel;
}

/// The mean of logarithms as a ratio, and its interval.
std::pair<double, std::optional<Interval>> ratio_of(std::span<const double> logarithms) {
  RepetitionSum sum;
  sum.add(logarithms);
  const auto estimate = sum.estimate();
  if (!estimate) return {std::exp(sum.value()), std::nullopt};
  const Interval interval = estimate->interval();
  return {std::exp(sum.value()), Interval{std::exp(interval.low), std::exp(interval.high)}};
}

void add_estimate(Judged& judged, std::span<const double> ratios) {
  judged.rounds = ratios.size();
  if (!ratios.empty()) std::tie(judged.ratio, judged.interval) = ratio_of(ratios);
}

Timing timing_in(const Timings& timings, const std::string& unit) {
  const auto found = timings.find(unit);
  return found == timings.end() ? Timing{.status = Status::unsupported, .reason = "not there"}
                                : found->second;
}

/// Drops, round by round, units that no longer look different; adds lost ones to `judged`.
std::vector<std::string> screen(const GateOptions& options, Rounds& rounds, double limit,
                                std::vector<Judged>& judged) {
  // A single pair of processes can be off by ten percent.
  std::vector<std::string> left = suspects(rounds.screened(), limit / 4);
  rounds.choose_controls(left);
  std::vector<std::string> lost = lost_units(rounds.units());
  for (int round = 1; round < options.screening_rounds; ++round) {
    std::vector<std::string> measured = left;
    measured.insert(measured.end(), lost.begin(), lost.end());
    rounds.measure(measured);
    const std::vector<std::string> apart = suspects(rounds.ratios(), limit / 2);
    std::erase_if(
        left, [&](const std::string& unit) { return !std::ranges::binary_search(apart, unit); });
    lost = lost_units(rounds.units());
  }
  for (const std::string& unit : lost) {
    judged.push_back({.unit = unit,
                      .verdict = Verdict::lost,
                      .before = timing_in(rounds.first().before, unit),
                      .after = timing_in(rounds.first().after, unit),
                      .rounds = rounds.units().size()});
  }
  return left;
}

/// Judges the suspects and the drift by rounds that were not used to choose the suspects.
class Confirmation {
 public:
  Confirmation(const GateOptions& options, Rounds& rounds, std::vector<std::string> suspected)
      : options_(options),
        rounds_(rounds),
        open_(std::move(suspected)),
        limit_(std::log1p(options.tolerance)),
        level_(options.level / static_cast<double>(options.looks.size())) {
    drift_open_ = std::abs(trimmed_mean(rounds.drifts())) > limit_ / 2;
    screening_ = rounds.drifts().size();
  }

  void run(GateAnswer& answer) {
    rounds_.forget();
    for (const int look : options_.looks) {
      while ((drift_open_ || !open_.empty()) &&
             rounds_.units().size() < static_cast<std::size_t>(look)) {
        rounds_.measure(open_);
      }
      judge_drift(answer);
      judge_units(answer, look == options_.looks.back());
    }
  }

 private:
  void judge_drift(GateAnswer& answer) {
    if (!drift_open_) return;
    const std::vector<double>& all = rounds_.drifts();
    const LogRatios drift{{"", {all.begin() + static_cast<std::ptrdiff_t>(screening_), all.end()}}};
    // A tenth of the level, so that the drift adds little to the units' error probability.
    const Finding finding = findings(drift, limit_, level_ / 10).at("");
    drift_open_ = finding == Finding::undecided;
    answer.all_slower = finding == Finding::slower;
  }

  void judge_units(GateAnswer& answer, bool last) {
    if (open_.empty()) return;
    const LogRatios ratios = only(rounds_.ratios().of_unit, open_);
    open_.clear();
    const bool late = rounds_.units().size() >= static_cast<std::size_t>(options_.hopeless_from);
    for (auto [unit, finding] : findings(ratios, limit_, level_)) {
      if (finding == Finding::undecided && !last) {
        if (!late || !(std::abs(trimmed_mean(ratios.at(unit))) <= limit_)) {
          open_.push_back(unit);
          continue;
        }
        finding = Finding::neither;
      }
      Judged one{.unit = unit,
                 .before = timing_in(rounds_.first().before, unit),
                 .after = timing_in(rounds_.first().after, unit)};
      add_estimate(one, ratios.at(unit));
      one.verdict = finding == Finding::slower      ? why_slower(one, rounds_, limit_)
                    : finding == Finding::faster    ? Verdict::faster
                    : finding == Finding::undecided ? Verdict::unknown
                                                    : Verdict::noise;
      answer.judged.push_back(std::move(one));
    }
  }

  const GateOptions& options_;
  Rounds& rounds_;
  std::vector<std::string> open_;
  double limit_;
  double level_;
  bool drift_open_ = false;
  std::size_t screening_ = 0;
};

}  // namespace

std::string_view to_string(Verdict verdict) {
  constexpr std::string_view names[] = {"lost",    "kernel", "heuristic",
                                        "unknown", "faster", "noise"};
  return names[static_cast<std::size_t>(verdict)];
}

bool GateAnswer::closes() const {
  return all_slower ||
         std::ranges::any_of(judged, [](const Judged& one) { return is_regression(one.verdict); });
}

GateAnswer judge(const GateOptions& options, const RunRound& run) {
  const double limit = std::log1p(options.tolerance);
  Rounds rounds(options, run);
  GateAnswer answer{.compared = rounds.screened().of_unit.size()};
  std::vector<std::string> suspected = screen(options, rounds, limit, answer.judged);
  Confirmation(options, rounds, std::move(suspected)).run(answer);
  std::tie(answer.drift, answer.drift_interval) = ratio_of(rounds.drifts());
  std::ranges::stable_sort(answer.judged, [](const Judged& a, const Judged& b) {
    if (a.verdict != b.verdict) return a.verdict < b.verdict;
    return a.ratio.value_or(1) > b.ratio.value_or(1);
  });
  return answer;
}

}  // namespace benanza::regress
