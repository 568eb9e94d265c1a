#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace benanza::analysis {

/// Seconds of every layer at one batch size; 0 where a layer takes none.
using LayerSeconds = std::vector<double>;
/// By batch size.
using BatchGrid = std::map<std::int64_t, LayerSeconds>;

/// What a layer does between two batch sizes that were measured: affine, t = a + b * n (a call has
/// a fixed cost and one per image), or a power law, t = a * n^b.
enum class Between { affine, power_law };

/// Every layer at `batch`, from the neighbours in the grid; what the grid holds is taken from it.
/// Nothing outside of the grid: that would be extrapolation. All entries have the same layers.
std::optional<LayerSeconds> interpolated(const BatchGrid& grid, std::int64_t batch,
                                         Between between);

/// How well the grid says what it does not hold: every batch size but the first and the last is
/// left out in turn, and estimated from the others.
struct LeaveOneOut {
  /// |estimate / measured - 1| of every layer that takes time, at every size left out.
  std::vector<double> layer_errors{};
  /// estimate / measured of the sum of all layers, by the size left out.
  std::map<std::int64_t, double> sum_ratios{};
};
LeaveOneOut leave_one_out(const BatchGrid& grid, Between between);

/// The one with the smaller median error of layers; affine where none can be left out.
Between better(const BatchGrid& grid);

}  // namespace benanza::analysis
