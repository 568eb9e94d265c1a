#pragma once

#include <map>
#include <span>
#include <vector>

#include "analysis/model/interpolation.h"

namespace benanza::analysis {

/// By what a plan takes longer than the bound: seconds of the run over those of the bound, at the
/// points whose plans were run, and estimated at others from these.
///
/// ratio(x) = c + sum_i w_i |x - x_i|, with distances between log2(1 + n) of the axes: the w_i, of
/// sum 0, and c are such that each plan has its own ratio at its point x_i. Along one axis that is
/// linear between two plans and constant beyond the last; of one plan it is that plan's.
class PlanRatio {
 public:
  PlanRatio() = default;
  /// All places have the same axes; ratios are positive.
  explicit PlanRatio(const std::map<Place, double>& ratios);

  bool empty() const { return points_.empty(); }
  std::size_t plans() const { return points_.size(); }
  /// Must not be empty. Never below half the least ratio, nor above twice the largest.
  double at(std::span<const double> at) const;

 private:
  std::vector<std::vector<double>> points_{};
  /// Of the distances to the points, then c.
  std::vector<double> weights_{};
  double least_ = 0;
  double most_ = 0;
};

}  // namespace benanza::analysis
