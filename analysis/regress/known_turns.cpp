#include "analysis/regress/known_turns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>

namespace benanza::regress {
namespace {

/// Numbers of rounds after which the ratios are judged.
constexpr std::array<std::size_t, 3> looks{8, 16, 32};

void add_ratios(LogRatios& ratios, const RowsOfRound& rows) {
  const Timings before = timings_of(rows.before, Unit::choice);
  const Timings after = timings_of(rows.after, Unit::choice);
  for (const auto& [unit, one] : before) {
    const auto other = after.find(unit);
    if (other == after.end() || one.status != Status::ok || other->second.status != Status::ok) {
      continue;
    }
    ratios[one.variant.key].push_back(log_ratio(one, other->second));
  }
}

/// The pair was measured with this version as the one before.
bool is_swapped(const JudgedFailure& one) { return one.results < one.evidence.rival; }

Evidence evidence_of(const TurnsRatio& turns, bool swapped, const std::string& rival) {
  const double ratio = swapped ? 1 / turns.ratio : turns.ratio;
  const Finding slower = swapped ? Finding::faster : Finding::slower;
  Evidence made{.text = fmt::format("{:.2f} times the time of {}, in {} rounds of turns", ratio,
                                    rival, turns.rounds)};
  if (turns.finding == Finding::undecided) {
    made.text += ", which do not decide";
  } else {
    made.found = turns.finding == slower;
  }
  return made;
}

}  // namespace

TurnsRatios compare_in_turns(const RunRound& run) {
  const double level = GateOptions{}.level / static_cast<double>(looks.size());
  LogRatios ratios;
  std::map<std::string, Finding, std::less<>> found;
  std::size_t rounds = 0;
  for (const std::size_t look : looks) {
    for (; rounds < look; ++rounds) {
      add_ratios(ratios, run({.number = static_cast<int>(rounds)}));
    }
    found = findings(ratios, std::log(turns_factor), level);
    const bool is_open = std::ranges::any_of(
        found, [](const auto& one) { return one.second == Finding::undecided; });
    if (!is_open) break;
  }
  TurnsRatios made;
  for (const auto& [key, values] : ratios) {
    made[key] = {std::exp(trimmed_mean(values)), found.at(key), rounds};
  }
  return made;
}

void decide_in_turns(std::vector<JudgedFailure>& judged,
                     const std::function<TurnsRatios(const TurnsRequest&)>& compare) {
  using Pair = std::tuple<const VersionResults*, const VersionResults*, Precision>;
  const auto pair_of = [](const JudgedFailure& one) {
    const auto [before, after] = std::minmax(one.evidence.rival, one.results);
    return Pair{before, after, one.failure->precision};
  };
  std::map<Pair, std::set<std::string>> wanted;
  for (const JudgedFailure& one : judged) {
    if (one.evidence.rival != nullptr) wanted[pair_of(one)].insert(one.failure->key);
  }
  std::map<Pair, TurnsRatios> answers;
  for (const auto& [pair, keys] : wanted) {
    const auto& [before, after, precision] = pair;
    answers[pair] = compare({before, after, precision, {keys.begin(), keys.end()}});
  }
  for (JudgedFailure& one : judged) {
    if (one.evidence.rival == nullptr) continue;
    const TurnsRatios& answer = answers.at(pair_of(one));
    const auto turns = answer.find(one.failure->key);
    if (turns == answer.end()) {
      if (one.verdict != KnownVerdict::unreported) continue;
      one.evidence.found = std::nullopt;
      one.evidence.text += ", at another moment: an alarm needs turns";
      one.verdict = verdict_of(one.presence, one.evidence);
      continue;
    }
    one.evidence = evidence_of(turns->second, is_swapped(one), one.evidence.rival->version_text);
    one.verdict = verdict_of(one.presence, one.evidence);
  }
}

}  // namespace benanza::regress
