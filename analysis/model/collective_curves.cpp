#include "analysis/model/collective_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/problem/problem.h"
#include "core/problem/text.h"

namespace benanza::analysis {
namespace {

bool is_power_of_two(double bytes) {
  int exponent = 0;
  return std::frexp(bytes, &exponent) == 0.5;
}

bool is_collectives_alone(const Layer& layer) {
  return !layer.problems.empty() && std::ranges::all_of(layer.problems, [](const auto& problem) {
    return asks_for<Collective>(problem);
  });
}

bool lacks_it(const Layer& layer, const LayerTime& time) {
  return time.status == LayerStatus::missing && is_collectives_alone(layer);
}

/// Empty unless all are known.
std::optional<double> seconds_of(const Layer& layer, const CollectiveCurves& curves,
                                 Precision precision) {
  double sum = 0;
  for (const std::string& problem : layer.problems) {
    const auto shape = std::get<Collective>(parse(problem).shape);
    const CollectiveCurve* const curve = curves.find(shape.kind, shape.ranks);
    const auto bytes = static_cast<double>(shape.elements * element_bytes(precision));
    const auto seconds = curve == nullptr ? std::nullopt : curve->seconds(bytes);
    if (!seconds) return std::nullopt;
    sum += *seconds;
  }
  return sum;
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

const CollectiveCurve* CollectiveCurves::find(CollectiveKind kind, std::int64_t ranks) const {
  const auto found = curves.find({kind, ranks});
  return found == curves.end() ? nullptr : &found->second;
}

std::vector<std::int64_t> CollectiveCurves::ranks_of(CollectiveKind kind) const {
  std::vector<std::int64_t> all;
  for (const auto& [key, curve] : curves) {
    if (key.first == kind) all.push_back(key.second);
  }
  return all;
}

CollectiveCurves collective_curves(const MeasurementSet& measurements, Precision precision,
                                   const std::string& backend) {
  std::map<std::pair<CollectiveKind, std::int64_t>, CurvePoints> points;
  CollectiveCurves found;
  for (const std::string_view key : measurements.keys()) {
    if (!Collective::owns(key.substr(0, key.find('/')))) continue;
    const auto shape = std::get<Collective>(parse(key).shape);
    const double bytes = static_cast<double>(shape.elements * element_bytes(precision));
    for (const Measurement& one : measurements.find(key)) {
      const VariantName& variant = one.variant;
      if (one.status != Status::ok || variant.cold || variant.precision != precision) continue;
      if (!backend.empty() && variant.backend != backend) continue;
      if (found.backend.empty()) found.backend = variant.backend;
      if (found.backend != variant.backend) {
        throw Error("collectives of " + found.backend + " and of " + variant.backend +
                    ": give the results of one, or name it");
      }
      const auto [place, added] =
          points[{shape.kind, shape.ranks}].try_emplace(bytes, one.seconds());
      if (!added) place->second = std::min(place->second, one.seconds());
    }
  }
  for (auto& [kind, curve] : points) {
    found.curves.emplace(kind, CollectiveCurve(std::move(curve)));
  }
  return found;
}

bool lacks_collectives(const Graph& graph, const std::vector<LayerTime>& times) {
  for (std::size_t layer = 0; layer < times.size(); ++layer) {
    if (lacks_it(graph.layers[layer], times[layer])) return true;
  }
  return false;
}

void estimate_collectives(const Graph& graph, const CollectiveCurves& curves, Precision precision,
                          std::vector<LayerTime>& times) {
  for (std::size_t layer = 0; layer < times.size(); ++layer) {
    const Layer& one = graph.layers[layer];
    if (!lacks_it(one, times[layer])) continue;
    const auto seconds = seconds_of(one, curves, precision_of(one, precision));
    if (!seconds) continue;
    times[layer] = {.status = LayerStatus::measured,
                    .seconds = seconds,
                    .note = "between the sizes that " + curves.backend + " was measured at"};
  }
}

}  // namespace benanza::analysis
