#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/model/choice.h"
#include "analysis/results/measurement.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// Where a layer stands in a bound. As Cost, but by what was measured: `unsupported` also at the
/// asked precision alone; `missing` where a measurement that could answer is not there.
enum class Standing { measured, movement, free, unsupported, missing };
inline constexpr Standing standings[] = {Standing::measured, Standing::movement, Standing::free,
                                         Standing::unsupported, Standing::missing};
std::string_view to_string(Standing standing);

/// A measurement a layer would need, and why there is none: "not measured", "incorrect: ...".
struct Gap {
  std::string key{};
  std::string reason{};
};

/// The least time of one layer by what was measured.
struct LayerTime {
  Standing standing = Standing::missing;
  /// Sum of the chosen calls' medians; 0 for a free layer; empty where unknown.
  std::optional<double> seconds{};
  /// The chosen calls, one after the other. They live as long as the MeasurementSet.
  std::vector<const Measurement*> calls{};
  /// Pattern of the single-layer fusion that was chosen, e.g. "conv_bias"; else empty.
  std::string fusion{};
  /// Why it is free, unsupported, or counted at another precision; else empty.
  std::string note{};
  /// What a missing layer lacks.
  std::vector<Gap> gaps{};
};

/// One entry per layer of `graph`. A layer's time is the smallest over its ways of the sum over
/// their calls of the measurement that the choice takes; a way is the layer's own problems, or one
/// problem of a fusion of this layer alone (a convolution with its bias). A way with a call that is
/// not measured is left out; a layer is missing only if that leaves none.
std::vector<LayerTime> layer_times(const Graph& graph, const MeasurementSet& measurements,
                                   const Choice& choice);

}  // namespace benanza::analysis
