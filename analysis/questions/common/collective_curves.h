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

/// The measured collectives at one precision.
struct CollectiveCurves {
  /// By kind and number of ranks.
  std::map<std::pair<CollectiveKind, std::int64_t>, CollectiveCurve> curves{};
  /// For example "nccl"; empty if there is no curve.
  std::string backend{};

  /// Returns null if it was not measured.
  const CollectiveCurve* find(CollectiveKind kind, std::int64_t ranks) const;
  /// The numbers of ranks for which `kind` was measured, ascending.
  std::vector<std::int64_t> ranks_of(CollectiveKind kind) const;
};

/// The fastest algorithm of each size, with warm caches. `backend`: only its rows; if empty, throws
/// Error (one line) if there are rows of several backends.
CollectiveCurves collective_curves(const MeasurementSet& measurements, Precision precision,
                                   const std::string& backend);

}  // namespace benanza::analysis
