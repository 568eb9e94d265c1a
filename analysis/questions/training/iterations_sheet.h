#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/questions/training/strategies.h"
#include "analysis/render/page.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// A row for every computation, number of GPUs and strategy. `with_usd`: rows end with the price of
/// an epoch.
Sheet iterations_sheet(bool with_usd);

/// `computation`: what its seconds come from, "bound" or a framework's name. Cells of what is not
/// known are "-".
std::vector<Cell> iterations_row(const std::string& computation, const Scaling& one,
                                 const Graph& graph);

/// Of an epoch of so many samples, whatever the number of GPUs: all of them are paid for. `price`:
/// USD per hour of one. Empty where one of them is not known.
std::optional<double> usd_per_epoch(const Scaling& one, const Graph& graph, double samples,
                                    std::optional<double> price);

}  // namespace benanza::analysis
