#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/input/measurement.h"
#include "analysis/model/layer_time.h"
#include "analysis/model/selection.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// Who would take which algorithm for one product (convolution, transposed convolution, matrix
/// product) of a layer. Measurements live as long as their set.
struct AlgorithmRow {
  std::size_t layer = 0;
  std::string key{};
  /// The fastest that the choice admits; null where nothing admitted was measured.
  const Measurement* best = nullptr;
  /// The library's own choice, by its heuristic; null where the library ranks none of its
  /// algorithms.
  const Measurement* heuristic = nullptr;
  /// The fastest without a limit on workspace; null as `best`.
  const Measurement* unlimited = nullptr;
  /// Why there is no best one.
  std::string reason{};

  /// Seconds lost by taking the heuristic's algorithm. Never negative.
  std::optional<double> heuristic_loss() const;
  /// Seconds lost by the limit on workspace. Never negative.
  std::optional<double> limit_loss() const;
};

/// One row for every product of every measured layer, in the model's order: of the calls one by
/// one, not of calls that do several at once.
std::vector<AlgorithmRow> algorithm_rows(const Graph& graph, const MeasurementSet& measurements,
                                         const MeasurementFilter& filter);

struct AlgorithmTotals {
  /// Products, and those with an unknown best or an unknown choice of the heuristic.
  std::size_t products = 0;
  std::size_t unmeasured = 0;
  std::size_t unranked = 0;
  /// Over the products whose two algorithms are known.
  double heuristic_loss_seconds = 0;
  std::size_t heuristic_misses = 0;
  /// Over the products that have a best one.
  double best_seconds = 0;
  double limit_loss_seconds = 0;
};
AlgorithmTotals totals(const std::vector<AlgorithmRow>& rows);

}  // namespace benanza::analysis
