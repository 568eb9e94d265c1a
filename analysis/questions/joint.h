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

/// A set of optimisations of a model.
struct Optimisations {
  /// Independent layers run at the same time.
  bool parallel = false;
  /// The fastest algorithm of every call instead of the library's heuristic choice.
  bool algorithms = false;
  /// One call for several layers, or for a layer with its bias: the cheapest cover
  /// (fusion_cover()), or parallel_fusions() if combined with `parallel`.
  bool fusion = false;
  /// The precision with Tensor Cores.
  bool tensor_cores = false;
};

/// All subsets, ordered by the number of optimisations.
std::array<Optimisations, 16> optimisation_subsets();
/// "parallel + fusion"; "none".
std::string to_string(const Optimisations& optimisations);

struct JointRow {
  Optimisations on{};
  /// The bound with them.
  double seconds = 0;
  /// Over the bound without any.
  double speed_up = 1;
  /// The product of the speed-ups of each of them alone.
  double composed_speed_up = 1;
};

struct JointAnswer {
  Precision tensor_core_precision = Precision::fp16;
  /// Processors have no Tensor Cores; a lower precision is one there.
  bool of_gpu = true;
  /// In the order of optimisation_subsets().
  std::vector<JointRow> rows{};
  /// The framework's latency in seconds.
  std::optional<double> measured_seconds{};
  std::string framework{};
  /// Layers that have a time in only some of the bounds: left out of all of them.
  std::vector<std::size_t> left_out{};
  /// True if a layer that needs a time has none.
  bool partial = false;
  /// The times of a bound that lacks measurements; empty if none does.
  std::vector<LayerTime> incomplete{};
};

/// The bound of `graph` with every subset. `filter` gives the precision without Tensor Cores;
/// layers that `tensor_core_precision` does not support stay at the filter's.
JointAnswer joint(const Graph& graph, const MeasurementSet& measurements,
                  const MeasurementFilter& filter, Precision tensor_core_precision,
                  Movement movement);

}  // namespace benanza::analysis
