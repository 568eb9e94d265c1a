#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/questions/bound/report.h"

namespace benanza::analysis {

/// What every format shows of a layer. Empty where unknown.
struct LayerRow {
  std::optional<double> seconds{};
  /// Of the sequential bound; empty where the layer is not part of it.
  std::optional<double> share{};
  std::optional<double> flops_per_second{};
  bool on_critical_path = false;
};

/// One row per layer of the report's graph.
std::vector<LayerRow> layer_rows(const BoundReport& report);

}  // namespace benanza::analysis
