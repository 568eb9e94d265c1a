#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/input/results.h"
#include "analysis/model/collective_curve.h"
#include "core/problem/ops/collective.h"

namespace benanza::analysis {

/// What was measured of collectives at one precision.
struct CollectiveCurves {
  /// By kind and number of ranks.
  std::map<std::pair<CollectiveKind, std::int64_t>, CollectiveCurve> curves{};
  /// "nccl"; empty if there is no curve.
  std::string backend{};

  /// Null if it was not measured.
  const CollectiveCurve* find(CollectiveKind kind, std::int64_t ranks) const;
  /// With which the kind was measured, ascending.
  std::vector<std::int64_t> ranks_of(CollectiveKind kind) const;
};

/// The fastest algorithm of each size, hot. `backend`: only its rows; empty: there may be only one.
/// Throws Error, one line, where there are several.
CollectiveCurves collective_curves(const MeasurementSet& measurements, Precision precision,
                                   const std::string& backend);

}  // namespace benanza::analysis
