#include "analysis/model/interpolation.h"

#include <cmath>
#include <cstddef>
#include <numeric>

#include "core/statistics/summary.h"

namespace benanza::analysis {
namespace {

double between_two(double x, double x0, double y0, double x1, double y1, Between between) {
  // A power law needs a positive time at both ends.
  if (between == Between::affine || y0 <= 0 || y1 <= 0) {
    return y0 + (y1 - y0) * (x - x0) / (x1 - x0);
  }
  const double part = std::log(x / x0) / std::log(x1 / x0);
  return std::exp(std::log(y0) + part * std::log(y1 / y0));
}

double sum_of(const LayerSeconds& seconds) {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

}  // namespace

std::optional<LayerSeconds> interpolated(const BatchGrid& grid, std::int64_t batch,
                                         Between between) {
  const auto above = grid.lower_bound(batch);
  if (above == grid.end()) return std::nullopt;
  if (above->first == batch) return above->second;
  if (above == grid.begin()) return std::nullopt;
  const auto below = std::prev(above);
  LayerSeconds seconds;
  for (std::size_t layer = 0; layer < above->second.size(); ++layer) {
    seconds.push_back(between_two(static_cast<double>(batch), static_cast<double>(below->first),
                                  below->second[layer], static_cast<double>(above->first),
                                  above->second[layer], between));
  }
  return seconds;
}

LeaveOneOut leave_one_out(const BatchGrid& grid, Between between) {
  LeaveOneOut found;
  for (const auto& [batch, measured] : grid) {
    BatchGrid others = grid;
    others.erase(batch);
    const auto estimate = interpolated(others, batch, between);
    if (!estimate) continue;
    for (std::size_t layer = 0; layer < measured.size(); ++layer) {
      if (measured[layer] <= 0) continue;
      found.layer_errors.push_back(std::abs((*estimate)[layer] / measured[layer] - 1));
    }
    if (sum_of(measured) > 0) found.sum_ratios[batch] = sum_of(*estimate) / sum_of(measured);
  }
  return found;
}

Between better(const BatchGrid& grid) {
  const std::vector<double> affine = leave_one_out(grid, Between::affine).layer_errors;
  const std::vector<double> power = leave_one_out(grid, Between::power_law).layer_errors;
  if (affine.empty() || power.empty()) return Between::affine;
  return median(power) < median(affine) ? Between::power_law : Between::affine;
}

}  // namespace benanza::analysis
