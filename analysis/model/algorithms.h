#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/input/measurement.h"
#include "analysis/model/layer_time.h"
#include "analysis/model/selection.h"
#include "core/graph_file/graph.h"
#include "core/problem/name.h"

namespace benanza::analysis {

// What the suites' names of algorithms say.

/// Whether the call multiplies by weights that are unpacked when the model is loaded.
bool unpacks_weights(std::string_view algorithm);

enum class AlgorithmKind { product, direct, winograd, fft };
/// "matrix product", "implicit product or direct", ...
std::string_view to_string(AlgorithmKind kind);
inline constexpr AlgorithmKind algorithm_kinds[] = {AlgorithmKind::product, AlgorithmKind::direct,
                                                    AlgorithmKind::winograd, AlgorithmKind::fft};
AlgorithmKind kind_of(const VariantName& call);

/// True if `word` names the algorithm. If `from_kernel`, the word may stand for two algorithms.
bool is_called(std::string_view algorithm, std::string_view word, bool from_kernel);

/// The algorithms that different policies choose for one product (convolution, transposed
/// convolution, matrix product) of a layer. Measurements live as long as their set.
struct AlgorithmRow {
  std::size_t layer = 0;
  std::string key{};
  /// The fastest that the filter admits; null if no admitted one was measured.
  const Measurement* best = nullptr;
  /// The library's own choice, by its heuristic; null if the library ranks none of its algorithms.
  const Measurement* heuristic = nullptr;
  /// The fastest without a limit on workspace; null like `best`.
  const Measurement* unlimited = nullptr;
  /// Why `best` is null.
  std::string reason{};

  /// Seconds lost by taking the heuristic's algorithm, never negative; empty if either is unknown.
  std::optional<double> heuristic_loss() const;
  /// Seconds lost by the limit on workspace, never negative; empty if either is unknown.
  std::optional<double> limit_loss() const;
};

/// Returns one row for every product of every measured layer, in the model's order. Considers only
/// the layers' own calls, not fused ones.
std::vector<AlgorithmRow> algorithm_rows(const Graph& graph, const MeasurementSet& measurements,
                                         const MeasurementFilter& filter);

/// Removes products that are steps of an operator done by one call, by `times` (operator_times()).
/// Returns their number.
std::size_t leave_out_steps(std::vector<AlgorithmRow>& rows, const std::vector<LayerTime>& times);

struct AlgorithmTotals {
  /// Products; those without a best algorithm; the others without a heuristic choice.
  std::size_t products = 0;
  std::size_t unmeasured = 0;
  std::size_t unranked = 0;
  /// Over the products for which both the best algorithm and the heuristic's are known.
  double heuristic_loss_seconds = 0;
  std::size_t heuristic_misses = 0;
  /// Over the products that have a best algorithm.
  double best_seconds = 0;
  double limit_loss_seconds = 0;
};
AlgorithmTotals totals(const std::vector<AlgorithmRow>& rows);

}  // namespace benanza::analysis
