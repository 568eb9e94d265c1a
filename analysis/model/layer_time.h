#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/input/measurement.h"
#include "analysis/model/selection.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// Where a layer stands in a bound. As Cost, but by what was measured: `unsupported` also at the
/// asked precision alone; `missing` where a measurement that could answer is not there; `part`
/// where the call of another layer does it (operator_times()).
enum class LayerStatus { measured, part, movement, free, unsupported, missing };
inline constexpr LayerStatus layer_statuses[] = {LayerStatus::measured,    LayerStatus::part,
                                                 LayerStatus::movement,    LayerStatus::free,
                                                 LayerStatus::unsupported, LayerStatus::missing};
std::string_view to_string(LayerStatus status);

/// A measurement a layer would need, and why there is none: "not measured", "incorrect: ...".
struct Gap {
  std::string key{};
  std::string reason{};
};

/// The least time of one layer by what was measured.
struct LayerTime {
  LayerStatus status = LayerStatus::missing;
  /// Sum of the chosen calls' medians; 0 for a free layer; empty where unknown.
  std::optional<double> seconds{};
  /// The chosen calls, one after the other. They live as long as the MeasurementSet.
  std::vector<const Measurement*> calls{};
  /// Pattern of the single-layer fusion that was chosen, e.g. "conv_bias"; else empty.
  std::string fusion{};
  /// Why it is free, unsupported, or counted at another precision; else empty.
  std::string note{};
  /// Measurements that a missing layer lacks.
  std::vector<Gap> gaps{};
  /// Layers that its call does, this one among them; empty: this one alone.
  std::vector<std::size_t> does{};
  /// Of a layer that one call does with others, and of those others: seconds of the layer by
  /// itself; empty where unknown.
  std::optional<double> alone_seconds{};
};

/// At which precision the layer works in a model that runs at `asked`: the update of a training
/// step in fp32 (or tf32, which stores the same), everything else as asked.
Precision precision_of(const Layer& layer, Precision asked);

/// One entry per layer of `graph`. A layer's time is the smallest over its ways of the sum over
/// their calls of the measurement that the choice takes; a way is the layer's own problems, or one
/// problem of a fusion of this layer alone (a convolution with its bias). A way with a call that is
/// not measured is left out; a layer is missing only if that leaves none.
std::vector<LayerTime> layer_times(const Graph& graph, const MeasurementSet& measurements,
                                   const MeasurementFilter& filter);

/// Does the layer need time that nobody knows: `unsupported` or `missing`?
bool lacks_time(const LayerTime& time);
/// Does a layer of the model need time that the bound does not have: `unsupported` or `missing`?
bool is_partial(const std::vector<LayerTime>& times);

struct Tally {
  std::size_t layers = 0;
  /// Empty if one of the layers does not know its FLOPs.
  std::optional<double> flops = 0;
};

/// How many layers, and how many of the model's FLOPs, stand where. Every layer is in one class.
struct Coverage {
  std::array<Tally, std::size(layer_statuses)> tallies;
  /// Measured layers whose time is that of the fallback precision.
  std::size_t at_fallback = 0;

  const Tally& of(LayerStatus status) const { return tallies[static_cast<std::size_t>(status)]; }
};

/// The part of a bound that comes from layers whose shapes may rest on an assumption of the
/// generator.
struct Assumed {
  std::size_t layers = 0;
  double seconds = 0;
  /// Layer::assumed of the first.
  std::string first;
};
/// `counted`: the seconds that each layer has in the bound.
Assumed assumed(const Graph& graph, const std::vector<double>& counted);

Coverage coverage(const Graph& graph, const std::vector<LayerTime>& times, Precision precision);

}  // namespace benanza::analysis
