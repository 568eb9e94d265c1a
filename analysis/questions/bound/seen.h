#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/profile_match/seen.h"
#include "analysis/questions/bound/ladder.h"
#include "analysis/questions/common/subject.h"

namespace benanza::analysis {

/// Layers that a framework's kernels do faster than the measured calls.
struct SeenWin {
  std::vector<std::size_t> layers{};
  double seconds = 0;
  /// Of the cheapest measured calls, fused ones included, for these layers; empty where one of them
  /// has no call.
  std::optional<double> measured_seconds{};
  std::string framework{};
  std::vector<std::string> kernels{};
  /// In the bound; else other pieces do its layers.
  bool used = false;
};

/// One profile's part in it.
struct SeenProfile {
  std::string path{};
  std::string framework{};
  Seen seen{};
};

/// The bound with the kernels of profiles as candidates.
struct SeenBest {
  double seconds = 0;
  /// By what they save, those with nothing to compare with first.
  std::vector<SeenWin> wins{};
  std::vector<SeenProfile> profiles{};
  /// Layers that have no time in it.
  std::size_t holes = 0;
};

/// Throws Error, one line, for a profile of a precision that was not asked for.
void require_seen(const Inputs& inputs);

/// The cheapest way to do every layer once, alone, by a fusion, or as a profile of this model and
/// precision shows it (seen_in()). Empty where there is no such profile. Sets ladder.seen_seconds.
std::optional<SeenBest> make_seen(const Subject& subject, Ladder& ladder);

}  // namespace benanza::analysis
