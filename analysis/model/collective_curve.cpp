#include "analysis/model/collective_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "core/base/error.h"

namespace benanza::analysis {

CollectiveCurve::CollectiveCurve(CurvePoints points) : points_(std::move(points)) {
  if (points_.empty()) throw std::invalid_argument("a curve without points");
  for (const auto& [bytes, seconds] : points_) {
    if (!(bytes > 0 && seconds > 0)) throw std::invalid_argument("a point that is not positive");
  }
}

std::optional<double> CollectiveCurve::seconds(double bytes) const {
  const auto above = points_.lower_bound(bytes);
  if (above == points_.end()) return std::nullopt;
  if (above->first == bytes) return above->second;
  if (above == points_.begin()) return std::nullopt;
  const auto below = std::prev(above);
  const double part = std::log(bytes / below->first) / std::log(above->first / below->first);
  return below->second * std::pow(above->second / below->second, part);
}

std::map<double, double> leave_one_out(const CollectiveCurve& curve) {
  std::map<double, double> ratios;
  const CurvePoints& all = curve.points();
  for (const auto& [bytes, seconds] : all) {
    if (bytes == curve.least_bytes() || bytes == curve.most_bytes()) continue;
    CurvePoints others = all;
    others.erase(bytes);
    ratios[bytes] = *CollectiveCurve(std::move(others)).seconds(bytes) / seconds;
  }
  return ratios;
}

double ring_all_reduce_seconds(const AlphaBeta& network, double nodes, double bytes) {
  const double steps = 2 * (nodes - 1);
  return steps * (network.alpha_seconds + network.seconds_per_byte * bytes / nodes);
}

CommunicationCost cost_of(CollectiveCurve curve, std::string what) {
  return [curve = std::move(curve), what = std::move(what)](double bytes) {
    const auto seconds = curve.seconds(std::max(bytes, curve.least_bytes()));
    if (seconds) return *seconds;
    throw Error(fmt::format(
        "{}: measured up to {:.0f} bytes, and a message has {:.0f}: measure larger ones "
        "(--max-bytes={:.0f}), or use smaller buckets",
        what, curve.most_bytes(), bytes, std::exp2(std::ceil(std::log2(bytes)))));
  };
}

}  // namespace benanza::analysis
