#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace benanza::analysis {

/// Seconds of every layer at one batch size; 0 for a layer that takes no time.
using LayerSeconds = std::vector<double>;
/// LayerSeconds by batch size.
using BatchGrid = std::map<std::int64_t, LayerSeconds>;

/// How a layer's time depends on the batch size between two measured sizes: affine, t = a + b * n
/// (a call has a fixed cost and one per image), or a power law, t = a * n^b.
enum class Between { affine, power_law };

/// Returns every layer's time at `batch`: measured if the grid has it, else interpolated between
/// its neighbours. Empty outside the grid (no extrapolation). All entries must have the same
/// layers.
std::optional<LayerSeconds> interpolated(const BatchGrid& grid, std::int64_t batch,
                                         Between between);

/// The accuracy of the interpolation: every batch size but the first and the last is left out in
/// turn and estimated from the others.
struct LeaveOneOut {
  /// |estimate / measured - 1| of every layer that takes time, at every size left out.
  std::vector<double> layer_errors{};
  /// estimate / measured of the sum of all layers, by the size left out.
  std::map<std::int64_t, double> sum_ratios{};
};
LeaveOneOut leave_one_out(const BatchGrid& grid, Between between);

/// Returns the model with the smaller median layer error; affine if no size can be left out.
Between better(const BatchGrid& grid);

}  // namespace benanza::analysis
