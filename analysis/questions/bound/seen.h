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
  /// Seconds of the cheapest measured calls, including fused ones, for these layers; empty if one
  /// of them has no call.
  std::optional<double> measured_seconds{};
  std::string framework{};
  std::vector<std::string> kernels{};
  /// True if part of the bound; otherwise other pieces do its layers.
  bool used = false;
};

/// One profile and its contribution.
struct SeenProfile {
  std::string path{};
  std::string framework{};
  Seen seen{};
};

/// The bound with the kernels of profiles as candidates.
struct SeenBest {
  double seconds = 0;
  /// By seconds saved, descending; those without a measured time first.
  std::vector<SeenWin> wins{};
  std::vector<SeenProfile> profiles{};
  /// Number of layers without a time in this bound.
  std::size_t holes = 0;
  /// The profile whose run, as a whole, takes less than the cheapest combination of its groups of
  /// layers with the measured calls does, and the seconds of the combination.
  std::string whole_run{};
  double combined_seconds = 0;
};

/// Throws Error (one line) if a profile's precision was not requested, if it is of another number
/// of threads than the results, or if its times are those of launches.
void require_seen(const Inputs& inputs);

/// Returns the cheapest way to do every layer once: alone, in a fusion, or as a profile of this
/// model and precision shows it (seen_in()); or all layers as a profile's whole run, if that did
/// all and takes less. Empty if there is no such profile. Sets ladder.seen_seconds.
std::optional<SeenBest> make_seen(const Subject& subject, Ladder& ladder);

}  // namespace benanza::analysis
