#pragma once

#include <optional>
#include <string>

#include "analysis/model/bounds.h"

namespace benanza::analysis {

/// "1.234 ms"
std::string milliseconds(double seconds);
/// "1234.5": for columns that name the unit.
std::string microseconds(double seconds);
/// "1.234 ms  (95%: 1.200 to 1.300)", the interval in milliseconds.
std::string with_spread(double seconds, const std::optional<Interval>& spread);
inline std::string with_spread(const Bound& bound) {
  return with_spread(bound.seconds, bound.spread);
}

}  // namespace benanza::analysis
