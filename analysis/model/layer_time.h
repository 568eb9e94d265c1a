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

/// The role of a layer in a bound. Like Cost, but by what was measured: `unsupported` may also hold
/// for the requested precision only; `missing` means that a measurement that could give a time is
/// lacking; `part` means that the call of another layer does its work (operator_times()).
enum class LayerStatus { measured, part, movement, free, unsupported, missing };
inline constexpr LayerStatus layer_statuses[] = {LayerStatus::measured,    LayerStatus::part,
                                                 LayerStatus::movement,    LayerStatus::free,
                                                 LayerStatus::unsupported, LayerStatus::missing};
std::string_view to_string(LayerStatus status);

/// A measurement that a layer needs, and why there is none: "not measured", "incorrect: ...".
struct Gap {
  std::string key{};
  std::string reason{};
};

/// The least time of one layer by the measurements.
struct LayerTime {
  LayerStatus status = LayerStatus::missing;
  /// Sum of the chosen calls' times (Measurement::seconds()); 0 for a free layer; empty if unknown,
  /// which movement may be, too.
  std::optional<double> seconds{};
  /// The chosen calls, which run one after the other. They live as long as the MeasurementSet.
  std::vector<const Measurement*> calls{};
  /// Sum of Selected::luck_seconds over the calls.
  double luck_seconds = 0;
  /// Pattern of the fusion that was chosen, e.g. "conv_bias"; empty otherwise.
  std::string fusion{};
  /// Why it is free, unsupported, or counted at another precision; empty otherwise.
  std::string note{};
  /// The measurements that a missing layer lacks.
  std::vector<Gap> gaps{};
  /// All layers that its call does, including this one; empty if it does only this one.
  std::vector<std::size_t> does{};
  /// For layers that share a call: seconds of the layer by itself; empty if unknown.
  std::optional<double> alone_seconds{};
};

/// Returns the precision of the layer in a model that runs at `asked`: its own if it states one
/// (fp32 for the update of a training step, what was recorded for a call), otherwise `asked`. fp32
/// and tf32 store the same: of these two, `asked` decides.
Precision precision_of(const Layer& layer, Precision asked);
/// The same of one of its problems (stored_precision()).
Precision precision_of(const Layer& layer, const std::string& key, Precision asked);

/// Returns one entry per layer of `graph`: the smallest time over its ways, each the sum over its
/// calls of the measurement that the filter chooses. A way is the layer's own problems, or the one
/// problem of a fusion of this layer alone (a convolution with its bias). A way with an unmeasured
/// call is left out; a layer is missing only if no way remains.
std::vector<LayerTime> layer_times(const Graph& graph, const MeasurementSet& measurements,
                                   const MeasurementFilter& filter);

/// Whether layers that only move bytes are part of a bound.
enum class Movement { exclude, include };

/// Returns true if the layer should take time in a bound, and that time is unknown: `unsupported`,
/// `missing`, or `movement` without a time if that is part of the bound.
bool lacks_time(const LayerTime& time, Movement movement);
/// Returns true if any layer lacks its time, so that a bound is partial.
bool is_partial(const std::vector<LayerTime>& times, Movement movement);

struct LayerCount {
  std::size_t layers = 0;
  /// Empty if the FLOPs of one of the layers are unknown.
  std::optional<double> flops = 0;
};

/// The layers and FLOPs of the model by status. Every layer has exactly one status.
struct Coverage {
  std::array<LayerCount, std::size(layer_statuses)> counts;
  /// Measured layers whose time was measured at the fallback precision.
  std::size_t at_fallback = 0;

  const LayerCount& of(LayerStatus status) const {
    return counts[static_cast<std::size_t>(status)];
  }
};

/// The part of a bound that comes from layers whose shapes may depend on an assumption of the
/// generator.
struct Assumed {
  std::size_t layers = 0;
  double seconds = 0;
  /// Layer::assumed of the first such layer.
  std::string first;
};
/// `counted` holds the seconds of each layer in the bound.
Assumed assumed(const Graph& graph, const std::vector<double>& counted);

/// The calls of a bound that are the library's reference code, or multiply by unpacked weights:
/// these libraries have nothing better, and a framework's own kernel may be much faster.
struct ReferenceCode {
  std::size_t calls = 0;
  std::size_t all_calls = 0;
  double seconds = 0;
  /// The layer in which it takes longest, and how long.
  std::string worst_layer{};
  double worst_seconds = 0;
  /// Calls with weights that were unpacked when the model was loaded: they read more bytes than the
  /// file has.
  std::size_t unpacked_calls = 0;
  double unpacked_seconds = 0;

  void add(const Measurement& call, const std::string& layer);
  void add(const LayerTime& time, const std::string& layer);
};
/// Those of all layers that count.
ReferenceCode reference_code(const Graph& graph, const std::vector<LayerTime>& times,
                             Movement movement);

Coverage coverage(const Graph& graph, const std::vector<LayerTime>& times, Precision precision);

}  // namespace benanza::analysis
