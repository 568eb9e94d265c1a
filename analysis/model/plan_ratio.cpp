#include "analysis/model/plan_ratio.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace benanza::analysis {
namespace {

std::vector<double> doublings(std::span<const double> at) {
  std::vector<double> logs;
  for (const double value : at) logs.push_back(std::log2(1 + value));
  return logs;
}

/// d + d^2 / 2 of the distance d. Of weights with sum 0, the squares add up to a trend.
double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double square = 0;
  for (std::size_t axis = 0; axis < a.size(); ++axis) {
    square += (a[axis] - b[axis]) * (a[axis] - b[axis]);
  }
  return std::sqrt(square) + square / 2;
}

using Row = std::vector<double>;

/// Solves a system that has one solution; each row ends with its right side.
Row solved(std::vector<Row> rows) {
  const std::size_t size = rows.size();
  for (std::size_t column = 0; column < size; ++column) {
    const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(column);
    const auto pivot = std::ranges::max_element(
        begin, rows.end(), {}, [&](const Row& row) { return std::abs(row[column]); });
    std::iter_swap(begin, pivot);
    for (std::size_t row = 0; row < size; ++row) {
      if (row == column) continue;
      const double factor = rows[row][column] / rows[column][column];
      for (std::size_t at = column; at <= size; ++at) rows[row][at] -= factor * rows[column][at];
    }
  }
  Row solution;
  for (std::size_t row = 0; row < size; ++row) {
    solution.push_back(rows[row][size] / rows[row][row]);
  }
  return solution;
}

}  // namespace

PlanRatio::PlanRatio(const std::map<Place, double>& ratios) {
  if (ratios.empty()) return;
  std::vector<Row> rows;
  for (const auto& [place, ratio] : ratios) {
    points_.push_back(doublings(std::vector<double>(place.begin(), place.end())));
    least_ = points_.size() == 1 ? ratio : std::min(least_, ratio);
    most_ = std::max(most_, ratio);
  }
  for (const auto& [place, ratio] : ratios) {
    Row& row = rows.emplace_back();
    for (const Row& other : points_) row.push_back(difference(points_[rows.size() - 1], other));
    row.insert(row.end(), {1, ratio});
  }
  Row& last = rows.emplace_back(points_.size(), 1.0);
  last.insert(last.end(), {0, 0});
  weights_ = solved(std::move(rows));
}

double PlanRatio::at(std::span<const double> at) const {
  const std::vector<double> here = doublings(at);
  double ratio = weights_.back();
  for (std::size_t i = 0; i < points_.size(); ++i) {
    ratio += weights_[i] * difference(here, points_[i]);
  }
  return std::clamp(ratio, least_ / 2, most_ * 2);
}

}  // namespace benanza::analysis
