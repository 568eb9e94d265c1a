#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "analysis/input/measurement.h"
#include "analysis/model/bounds.h"
#include "analysis/model/selection.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// Optimisations of a model, all at once.
struct Optimisations {
  /// Layers that do not wait for each other run at the same time.
  bool parallel = false;
  /// The fastest algorithm of every call, not the one the library's heuristic picks.
  bool algorithms = false;
  /// Calls that do several layers, or a layer with its bias: the cheapest cover (fusion_cover()),
  /// or, in parallel, parallel_fusions().
  bool fusion = false;
  /// The precision with Tensor Cores.
  bool tensor_cores = false;
};

/// Every subset: none first, then by the number of optimisations.
std::array<Optimisations, 16> optimisation_subsets();
/// "parallel + fusion"; "none".
std::string to_string(const Optimisations& optimisations);

struct JointRow {
  Optimisations on{};
  /// The bound with them.
  double seconds = 0;
  /// Over the bound without any.
  double speed_up = 1;
  /// The product of the speed-ups that each of them has alone.
  double composed_speed_up = 1;
};

struct JointAnswer {
  Precision tensor_core_precision = Precision::fp16;
  /// In the order of optimisation_subsets().
  std::vector<JointRow> rows{};
  /// Of the framework, in seconds.
  std::optional<double> measured_seconds{};
  std::string framework{};
  /// Layers that have a time in some of the bounds only: in none of them.
  std::vector<std::size_t> left_out{};
  /// Some layer that needs time has none.
  bool partial = false;
  /// Layers that lack measurements in some of the bounds, which are partial.
  std::vector<LayerTime> incomplete{};
};

/// The bound of `graph` with every subset. `filter` says the precision without Tensor Cores; layers
/// that `tensor_core_precision` does not support stay at it.
JointAnswer joint(const Graph& graph, const MeasurementSet& measurements,
                  const MeasurementFilter& filter, Precision tensor_core_precision,
                  Movement movement);

}  // namespace benanza::analysis
