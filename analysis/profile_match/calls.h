#pragma once

#include <optional>
#include <vector>

#include "analysis/profiles/api_log/api_log.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// Per layer of `graph` the index of the call that does it, where order and problems tell
/// (align()).
std::vector<std::optional<std::size_t>> calls_of_layers(const Graph& graph,
                                                        const std::vector<LibraryCall>& calls);

}  // namespace benanza::analysis
