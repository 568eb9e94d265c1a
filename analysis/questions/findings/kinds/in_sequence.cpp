// The bound's calls take longer one after the other than each by itself: memory.

#include <fmt/format.h>

#include <algorithm>

#include "analysis/questions/findings/matter.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

std::vector<Finding> in_sequence(const Matter& matter) {
  const SequenceRun* const run = matter.sequence();
  if (run == nullptr) return {};
  const double seconds = typical(run->seconds);
  // A framework that is faster has calls that suit each other better.
  if (matter.run() != nullptr && matter.whole().seconds < seconds) return {};
  const auto [least, most] = std::ranges::minmax(run->seconds);
  Finding finding{
      .cause = "memory between calls",
      .what = fmt::format("Back to back, the bound's {} calls{} take {}; timed alone, with their "
                          "data in cache, {}.",
                          run->calls, run->fused ? " with fusion" : "", milliseconds(seconds),
                          milliseconds(run->alone_seconds)),
      .gain_seconds = seconds - run->alone_seconds,
      .certainty = Certainty::at_most,
      .reference = Baseline{.name = "the calls in sequence", .seconds = seconds},
      .leads_to_seconds = run->alone_seconds,
      .remedy = {
          "Move fewer bytes: fused calls, smaller types, weights that fit the cache. The call that "
          "is fastest alone may not be fastest here.",
          matter.ask("calls", " --fused --out calls.json")}};
  if (run->seconds.size() >= 3 && !are_interrupted(run->seconds)) {
    finding.interval = Interval{least - run->alone_seconds, most - run->alone_seconds};
  }
  return {std::move(finding)};
}

}  // namespace

FindingKind in_sequence_kind() { return {in_sequence}; }

}  // namespace benanza::analysis
