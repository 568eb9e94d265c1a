#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/results/system.h"

namespace benanza {

// JSON where it is rare, for files that are compiled without its library.

/// In quotes, as ASCII; what is no UTF-8 is replaced.
std::string quoted_json(std::string_view text);

std::string object_json(const System& system);
std::string object_json(const PeakValues& peaks);
/// Empty for what object_json() does not write.
std::optional<System> parse_system(std::string_view text);
std::optional<PeakValues> parse_peaks(std::string_view text);

}  // namespace benanza
