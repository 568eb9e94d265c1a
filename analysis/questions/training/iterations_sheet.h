#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/questions/training/strategies.h"
#include "analysis/render/page.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// Header of a sheet with a row per computation, number of GPUs and strategy. `with_usd`: rows end
/// with the price of an epoch.
Sheet iterations_sheet(bool with_usd);

/// `computation`: source of the seconds, "bound" or a framework's name. Cells of unknown values are
/// "-".
std::vector<Cell> iterations_row(const std::string& computation, const Scaling& one,
                                 const Graph& graph);

/// Price of an epoch of `samples`. All GPUs are paid for, so their number cancels out. `price`: USD
/// per hour of one GPU. Empty if a value is unknown.
std::optional<double> usd_per_epoch(const Scaling& one, const Graph& graph, double samples,
                                    std::optional<double> price);

}  // namespace benanza::analysis
