#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/questions/training/strategies.h"
#include "analysis/render/page.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

struct IterationRow {
  /// Source of the seconds: "bound" or a framework's name.
  std::string computation{};
  Scaling scaling{};
};

struct EpochPrice {
  double samples = 0;
  /// Of one GPU; empty if unknown.
  std::optional<double> usd_per_hour{};
};

/// A row per computation, number of GPUs and strategy; with the price of an epoch if `price` says
/// how to tell it.
Sheet iterations_sheet(const std::vector<IterationRow>& rows, const Graph& graph,
                       const std::optional<EpochPrice>& price);

/// Price of an epoch of `samples`. All GPUs are paid for, so their number cancels out. `price`: USD
/// per hour of one GPU. Empty if a value is unknown.
std::optional<double> usd_per_epoch(const Scaling& one, const Graph& graph, double samples,
                                    std::optional<double> price);

}  // namespace benanza::analysis
