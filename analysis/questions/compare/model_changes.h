#pragma once

#include <vector>

#include "analysis/questions/common/question.h"

namespace benanza::analysis {

/// A model's bounds from its layers' times in two sets of results, over the layers that have a time
/// in both, and the layers that make the difference.
Section model_changes_section(const Graph& graph, const MeasurementFilter& filter,
                              Movement movement, const std::vector<LayerTime>& before,
                              const std::vector<LayerTime>& after);

}  // namespace benanza::analysis
