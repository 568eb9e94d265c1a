#include "analysis/model/collective_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "core/base/error.h"

namespace benanza::analysis {
namespace {

bool is_power_of_two(double bytes) {
  int exponent = 0;
  return std::frexp(bytes, &exponent) == 0.5;
}

}  // namespace

CollectiveCurve::CollectiveCurve(CurvePoints points) : points_(std::move(points)) {
  if (points_.empty()) throw std::invalid_argument("a curve without points");
  for (const auto& [bytes, seconds] : points_) {
    if (!(bytes > 0 && seconds > 0)) throw std::invalid_argument("a point that is not positive");
  }
}

std::optional<double> CollectiveCurve::seconds(double bytes) const {
  const auto known = points_.find(bytes);
  if (known != points_.end()) return known->second;
  constexpr double close = 4;
  const bool power = is_power_of_two(bytes);
  const auto alike = neighbours(bytes, [&](double size) { return is_power_of_two(size) == power; });
  const auto all = neighbours(bytes, [](double) { return true; });
  if (!all) return std::nullopt;
  const auto& [below, above] =
      alike && alike->second.bytes <= close * alike->first.bytes ? *alike : *all;
  const double part = std::log(bytes / below.bytes) / std::log(above.bytes / below.bytes);
  return below.seconds * std::pow(above.seconds / below.seconds, part);
}

std::optional<std::pair<CollectiveCurve::Point, CollectiveCurve::Point>>
CollectiveCurve::neighbours(double bytes, const std::function<bool(double)>& wanted) const {
  const auto middle = points_.lower_bound(bytes);
  const auto is_wanted = [&](const auto& point) { return wanted(point.first); };
  const auto above = std::find_if(middle, points_.end(), is_wanted);
  const auto below = std::find_if(std::make_reverse_iterator(middle), points_.rend(), is_wanted);
  if (above == points_.end() || below == points_.rend()) return std::nullopt;
  return std::pair{Point{below->first, below->second}, Point{above->first, above->second}};
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
