#pragma once

#include <optional>
#include <vector>

#include "analysis/questions/findings/finding.h"
#include "analysis/questions/findings/matter.h"
#include "analysis/render/page.h"

namespace benanza::analysis {

/// A gain of less than this share of its reference is not worth a line; of less than the other one
/// neither, if its interval is not known.
inline constexpr double least_share = 0.01;
inline constexpr double least_share_unknown = 0.03;
/// An answer begins with at most so many.
inline constexpr std::size_t most_findings = 7;

/// A finding that holds, and of what its gain is a part.
struct Judged {
  Finding finding{};
  Baseline reference{};
  /// Only seen once the GPU no longer waits for the host.
  bool is_hidden = false;

  std::optional<double> share() const;
};

/// Limits the gain to what lies above the time that it leads to and, if a plan was run, to what
/// that bears out. Empty if nothing is left of the gain, or what is left is within the noise.
std::optional<Judged> upheld(Finding finding, const Matter& matter);

/// What holds of all kinds, the most valuable first: by gain, of which a limit counts half; then
/// those of unknown gain.
std::vector<Judged> findings_of(const Matter& matter);

/// The first of them, of which up to two of unknown gain.
std::vector<Judged> first_findings(const std::vector<Judged>& all);

/// For people. Without findings it says how much none is above. `all`: how many there are.
Points findings_points(const Matter& matter, const std::vector<Judged>& shown, std::size_t all);

/// Puts the first findings before what the section has, and adds the fact "findings".
void begin_with_findings(Section& section, const Matter& matter);

/// All findings of a model: the answer of `findings`.
Section findings_section(const Matter& matter);

}  // namespace benanza::analysis
