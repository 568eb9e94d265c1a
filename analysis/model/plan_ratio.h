#pragma once

#include <map>
#include <span>
#include <vector>

#include "analysis/model/interpolation.h"

namespace benanza::analysis {

/// By what a plan takes longer than the bound: seconds of the run over those of the bound, at the
/// points whose plans were run, and estimated at others from these.
///
/// ratio(x) = c + sum_i w_i (d_i + d_i^2 / 2), where d_i is the distance between x and a plan's
/// point x_i in log2(1 + n) of the axes: the w_i, of sum 0, and c are such that each plan has its
/// own ratio at its point. That is a trend, and what departs from it near the plans. Along one axis
/// it is linear between plans; beyond them, whose outermost are h doublings apart, it goes on with
/// h / (h + 2) of the slope between these two. Of one plan it is that plan's.
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
  /// The w_i, then c.
  std::vector<double> weights_{};
  double least_ = 0;
  double most_ = 0;
};

}  // namespace benanza::analysis
