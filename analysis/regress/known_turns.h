#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analysis/regress/gate.h"
#include "analysis/regress/known_verdicts.h"
#include "analysis/regress/pairs.h"

namespace benanza::regress {

/// In turns, a library's choice that takes longer by this factor is slower: between the smallest
/// claim of the lists, 10%, and what the same pair differs by from hour to hour, up to 5%.
inline constexpr double turns_factor = 1.07;

/// How long a library's choice takes in one version, as a multiple of its time in another.
struct TurnsRatio {
  double ratio = 1;
  /// Whether it is beyond turns_factor, in either direction.
  Finding finding = Finding::undecided;
  std::size_t rounds = 0;
};
/// By the problem's key.
using TurnsRatios = std::map<std::string, TurnsRatio, std::less<>>;

/// After / before of all problems of one precision with a time on both sides: takes rounds until
/// each is decided, at most 32.
TurnsRatios compare_in_turns(const RunRound& run);

/// Problems to compare in two versions.
struct TurnsRequest {
  const VersionResults* before = nullptr;
  const VersionResults* after = nullptr;
  Precision precision = Precision::fp32;
  std::vector<std::string> keys{};
};
/// Judges what Evidence::rival says that turns decide; what `compare` leaves out stays as it is.
void decide_in_turns(std::vector<JudgedFailure>& judged,
                     const std::function<TurnsRatios(const TurnsRequest&)>& compare);

}  // namespace benanza::regress
