#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/model/layer_time.h"

namespace benanza::analysis {

/// Tensors that change their type between two layers of a bound, because their calls run at
/// different precisions. The bound does not include the conversions.
struct Conversions {
  /// Each tensor once for each type that its readers want.
  std::size_t tensors = 0;
  /// Read and written; empty if a shape is unknown.
  std::optional<double> bytes = 0;
};

/// Layers without calls, or that only move bytes, pass on what they read. Inputs and outputs of the
/// model are taken to have the type that their layers want.
Conversions conversions(const Graph& graph, const std::vector<LayerTime>& times);

}  // namespace benanza::analysis
