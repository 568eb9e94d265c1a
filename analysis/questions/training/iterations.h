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

/// The fastest strategy for each number of GPUs; numbers without a known one are left out.
std::vector<const Scaling*> fastest(const std::vector<Scaling>& all);

/// The parts of each iteration, which add up to it.
Bars breakdown(const std::string& heading, const WorkerStep& step,
               const std::vector<const Scaling*>& each);

/// Speed-up by number of GPUs for every strategy, and the ideal one.
Curves speed_ups(const std::string& heading, const std::vector<Scaling>& all);

/// The iteration's timeline.
Gantt timeline(const std::string& heading, const Scaling& one);

}  // namespace benanza::analysis
