#pragma once

#include <vector>

#include "analysis/model/layer_time.h"
#include "analysis/questions/common/collective_curves.h"

namespace benanza::analysis {

/// Whether a layer of collectives alone lacks a measurement: of its size, or at all.
bool lacks_collectives(const Graph& graph, const std::vector<LayerTime>& times);

/// Gives such layers the time that `curves` have between measured sizes, with a note. Those of
/// other ranks, or of sizes outside the measured ones, stay as they are.
void estimate_collectives(const Graph& graph, const CollectiveCurves& curves, Precision precision,
                          std::vector<LayerTime>& times);

}  // namespace benanza::analysis
