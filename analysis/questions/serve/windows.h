#pragma once

#include <utility>
#include <vector>

#include "analysis/questions/serve/point.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

using MeasuredSteps = std::vector<const std::pair<ServingPoint, const Graph*>*>;

/// Axis::limits of the phase's axes: the tokens in the cache from which on a layer reads no more of
/// them, by a step in which it reads fewer than there are. Empty if no layer has a window.
std::vector<std::vector<double>> limits_of(ServingPhase phase, const MeasuredSteps& steps);

}  // namespace benanza::analysis
