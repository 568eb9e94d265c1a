#pragma once

#include <map>
#include <optional>
#include <string>

#include "analysis/input/results.h"
#include "analysis/render/page.h"

namespace benanza::analysis {

inline constexpr double seconds_per_hour = 3600;

/// USD per hour by a device's name.
using Prices = std::map<std::string, double>;

/// Of a JSON file {"name of a device": USD per hour, ...}; none of an empty path. Throws Error, one
/// line.
Prices read_prices(const std::string& path);

/// What a person calls the machine: its GPU, or its processor.
std::string device_of(const std::map<std::string, System>& systems);

/// With three decimals; "-" where unknown.
Cell usd_cell(std::optional<double> usd);

}  // namespace benanza::analysis
