#pragma once

#include <map>
#include <string>

#include "analysis/input/results.h"

namespace benanza::analysis {

inline constexpr double seconds_per_hour = 3600;

/// USD per hour by device name.
using Prices = std::map<std::string, double>;

/// Reads a JSON file {"device name": USD per hour, ...}; returns none for an empty path. Throws
/// Error (one line).
Prices read_prices(const std::string& path);

/// The name by which people know the machine: its GPU, or its processor.
std::string device_of(const std::map<std::string, System>& systems);

}  // namespace benanza::analysis
