#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace benanza::analysis {

/// Seconds (or another amount) of every layer at one measured point; 0 for a layer that takes none.
using LayerSeconds = std::vector<double>;
/// A measured point: its value on every axis, {batch} or {past, batch}.
using Place = std::vector<std::int64_t>;
/// LayerSeconds by place. All places have the same axes, and all entries the same layers.
using Grid = std::map<Place, LayerSeconds>;

/// How a layer's time depends on one axis between two measured values: affine, t = a + b * n (a
/// call has a fixed cost and one per unit), or a power law, t = a * n^b. A time that is equal at
/// both values is constant between them.
enum class Between { affine, power_law };

/// How the layers' times depend on one axis.
struct Axis {
  Between law = Between::affine;
  /// Per layer: beyond this value its time stays the same, as that of attention with a window does.
  /// Layers behind the last one have no such value.
  std::vector<double> limits{};
};

/// Returns every layer's time at `at`: measured if the grid has it, else interpolated between its
/// neighbours on one of the `axes` after the other: on the first one first, so that a place with
/// neighbours on both sides of it there needs no other axis. A neighbour that was not measured is
/// passed over for the next one. Empty outside of what was measured (no extrapolation).
std::optional<LayerSeconds> interpolated(const Grid& grid, std::span<const double> at,
                                         std::span<const Axis> axes);

/// The mean of interpolated() while the value on `axis` goes from `from` to `to` (not below it), by
/// integration between measured values: exact where it is affine, to many digits for a power law.
/// Empty if any of it is outside of what was measured.
std::optional<LayerSeconds> mean_along(const Grid& grid, std::vector<double> at, std::size_t axis,
                                       double from, double to, std::span<const Axis> axes);

/// A measured point, left out and estimated from its two neighbours along one axis.
struct LeftOutPoint {
  Place place{};
  std::size_t axis = 0;
  /// Of the neighbours, on this axis.
  std::int64_t below = 0;
  std::int64_t above = 0;
  /// |estimate / measured - 1| of every layer that takes time, but for those that take the same at
  /// all three points.
  std::vector<double> layer_errors{};
  /// |estimate - measured|, summed over these layers.
  double seconds_apart = 0;
  /// estimate / measured of the sum of all layers; empty if they take no time.
  std::optional<double> sum_ratio{};
};
/// Every point with a neighbour on both sides along an axis, once for each such axis: in the order
/// of the places.
std::vector<LeftOutPoint> leave_one_out(const Grid& grid, std::span<const Axis> axes);

/// Returns the axes, each with the law of the smaller error: seconds by which layers that are left
/// out are estimated wrongly, over their seconds. Affine if no point can be left out. `limits`: per
/// axis, Axis::limits; axes behind the last one have none.
std::vector<Axis> better(const Grid& grid, const std::vector<std::vector<double>>& limits = {});

}  // namespace benanza::analysis
