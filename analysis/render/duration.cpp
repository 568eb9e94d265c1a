#include "analysis/render/duration.h"

#include <fmt/format.h>

namespace benanza::analysis {

std::string milliseconds(double seconds) { return fmt::format("{:.3f} ms", seconds * 1e3); }

std::string microseconds(double seconds) { return fmt::format("{:.1f}", seconds * 1e6); }

std::string with_spread(double seconds, const std::optional<Interval>& spread) {
  if (!spread) return milliseconds(seconds) + "  (spread unknown)";
  return fmt::format("{}  (95%: {:.3f} to {:.3f})", milliseconds(seconds), spread->low * 1e3,
                     spread->high * 1e3);
}

}  // namespace benanza::analysis
