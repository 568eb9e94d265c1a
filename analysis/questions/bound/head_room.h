#pragma once

#include <optional>

#include "analysis/model/floor.h"
#include "analysis/model/layer_time.h"

namespace benanza::analysis {

/// What the multiplications that a layer's calls do take at the peak rate; empty if unknown
/// (Ladder::multiplying_seconds).
std::optional<double> multiplying_seconds(const LayerTime& time, const DeviceRates& rates);

}  // namespace benanza::analysis
