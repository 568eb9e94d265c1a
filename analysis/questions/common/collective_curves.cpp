#include "analysis/questions/common/collective_curves.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/problem/problem.h"

namespace benanza::analysis {

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

}  // namespace benanza::analysis
