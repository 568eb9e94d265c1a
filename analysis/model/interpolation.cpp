#include "analysis/model/interpolation.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

namespace benanza::analysis {
namespace {

double between_two(double x, double x0, double y0, double x1, double y1, Between between) {
  if (y0 == y1) return y0;
  // A power law needs positive numbers at both ends.
  if (between == Between::affine || y0 <= 0 || y1 <= 0 || x0 <= 0) {
    return y0 + (y1 - y0) * (x - x0) / (x1 - x0);
  }
  const double part = std::log(x / x0) / std::log(x1 / x0);
  return std::exp(std::log(y0) + part * std::log(y1 / y0));
}

LayerSeconds between_two(double x, double x0, const LayerSeconds& y0, double x1,
                         const LayerSeconds& y1, const Axis& axis) {
  LayerSeconds seconds;
  seconds.reserve(y0.size());
  for (std::size_t layer = 0; layer < y0.size(); ++layer) {
    // Between two places beyond the limit, both times are of the same calls.
    const bool is_limited = layer < axis.limits.size() && axis.limits[layer] > x0;
    const double most = is_limited ? axis.limits[layer] : std::numeric_limits<double>::infinity();
    seconds.push_back(
        between_two(std::min(x, most), x0, y0[layer], std::min(x1, most), y1[layer], axis.law));
  }
  return seconds;
}

double all_layers(const LayerSeconds& seconds) {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

using GridPoints = std::vector<const Grid::value_type*>;

/// `points` agree on all axes behind the first `axes`.
std::optional<LayerSeconds> interpolated_from(const GridPoints& points, std::size_t axes,
                                              std::span<const double> at,
                                              std::span<const Axis> how) {
  if (axes == 0) return points.front()->second;
  const std::size_t axis = axes - 1;
  std::map<double, GridPoints> slices;
  for (const auto* point : points) slices[static_cast<double>(point->first[axis])].push_back(point);
  const auto value = [&](const auto& slice) {
    return interpolated_from(slice.second, axis, at, how);
  };
  const double x = at[axis];
  const auto middle = slices.upper_bound(x);
  std::optional<LayerSeconds> low;
  auto below = std::make_reverse_iterator(middle);
  for (; below != slices.rend() && !(low = value(*below)); ++below) {
  }
  if (!low) return std::nullopt;
  if (below->first == x) return low;
  for (auto above = middle; above != slices.end(); ++above) {
    if (const auto high = value(*above)) {
      return between_two(x, below->first, *low, above->first, *high, how[axis]);
    }
  }
  return std::nullopt;
}

LeftOutPoint leave_out_point(const Grid::value_type& point, std::size_t axis,
                             const Grid::value_type& below, const Grid::value_type& above,
                             const Axis& how) {
  const auto& [place, measured] = point;
  LeftOutPoint out{.place = place,
                   .axis = axis,
                   .below = below.first[axis],
                   .above = above.first[axis],
                   .layer_errors = {}};
  const LayerSeconds estimate =
      between_two(static_cast<double>(place[axis]), static_cast<double>(out.below), below.second,
                  static_cast<double>(out.above), above.second, how);
  for (std::size_t layer = 0; layer < measured.size(); ++layer) {
    const bool same =
        below.second[layer] == above.second[layer] && measured[layer] == above.second[layer];
    if (measured[layer] <= 0 || same) continue;
    out.layer_errors.push_back(std::abs(estimate[layer] / measured[layer] - 1));
    out.seconds_apart += std::abs(estimate[layer] - measured[layer]);
  }
  if (all_layers(measured) > 0) out.sum_ratio = all_layers(estimate) / all_layers(measured);
  return out;
}

/// Of all layers together, over the points that can be left out along `axis`; empty if there are
/// none.
std::optional<double> error_along(const Grid& grid, std::size_t axis, const Axis& how) {
  double apart = 0;
  double measured = 0;
  for (const LeftOutPoint& out : leave_one_out(grid, std::vector(axis + 1, how))) {
    if (out.axis != axis) continue;
    apart += out.seconds_apart;
    measured += all_layers(grid.at(out.place));
  }
  return measured > 0 ? std::optional(apart / measured) : std::nullopt;
}

}  // namespace

std::optional<LayerSeconds> interpolated(const Grid& grid, std::span<const double> at,
                                         std::span<const Axis> axes) {
  if (grid.empty()) return std::nullopt;
  GridPoints points;
  for (const auto& point : grid) points.push_back(&point);
  return interpolated_from(points, at.size(), at, axes);
}

std::optional<LayerSeconds> mean_along(const Grid& grid, std::vector<double> at, std::size_t axis,
                                       double from, double to, std::span<const Axis> axes) {
  const auto value = [&](double x) {
    at[axis] = x;
    return interpolated(grid, at, axes);
  };
  if (from == to) return value(from);
  std::set<double> knots{from, to};
  const auto add_knot = [&](double knot) {
    if (knot > from && knot < to) knots.insert(knot);
  };
  for (const auto& [place, seconds] : grid) add_knot(static_cast<double>(place[axis]));
  for (const double limit : axes[axis].limits) add_knot(limit);
  // Gauss and Legendre's rule of five points, on [-1, 1].
  constexpr std::pair<double, double> rule[] = {{0, 128.0 / 225},
                                                {-0.5384693101056831, 0.4786286704993665},
                                                {0.5384693101056831, 0.4786286704993665},
                                                {-0.9061798459386640, 0.2369268850561891},
                                                {0.9061798459386640, 0.2369268850561891}};
  LayerSeconds sum;
  for (auto end = std::next(knots.begin()); end != knots.end(); ++end) {
    const double begin = *std::prev(end);
    const double half = (*end - begin) / 2;
    for (const auto& [place, weight] : rule) {
      const auto layers = value(begin + half * (1 + place));
      if (!layers) return std::nullopt;
      sum.resize(layers->size());
      for (std::size_t layer = 0; layer < sum.size(); ++layer) {
        sum[layer] += (*layers)[layer] * weight * half / (to - from);
      }
    }
  }
  return sum;
}

std::vector<LeftOutPoint> leave_one_out(const Grid& grid, std::span<const Axis> axes) {
  std::vector<LeftOutPoint> all;
  for (const auto& point : grid) {
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      const Grid::value_type* below = nullptr;
      const Grid::value_type* above = nullptr;
      for (const auto& other : grid) {
        Place place = other.first;
        place[axis] = point.first[axis];
        if (place != point.first || &other == &point) continue;
        // Ascending along the axis, as the grid is.
        if (other.first[axis] < point.first[axis]) below = &other;
        if (other.first[axis] > point.first[axis] && above == nullptr) above = &other;
      }
      if (below == nullptr || above == nullptr) continue;
      all.push_back(leave_out_point(point, axis, *below, *above, axes[axis]));
    }
  }
  return all;
}

std::vector<Axis> better(const Grid& grid, const std::vector<std::vector<double>>& limits) {
  std::vector<Axis> axes;
  if (grid.empty()) return axes;
  for (std::size_t axis = 0; axis < grid.begin()->first.size(); ++axis) {
    Axis how;
    if (axis < limits.size()) how.limits = limits[axis];
    const auto affine = error_along(grid, axis, how);
    how.law = Between::power_law;
    const auto power = error_along(grid, axis, how);
    if (!affine || !power || *power >= *affine) how.law = Between::affine;
    axes.push_back(std::move(how));
  }
  return axes;
}

}  // namespace benanza::analysis
