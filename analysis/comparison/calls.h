#pragma once

#include <optional>
#include <vector>

#include "graph/graph.h"
#include "profiles/api_log/api_log.h"

namespace benanza {

/// Per layer of `graph` the index of the call that does it, where order and problems tell
/// (align()).
std::vector<std::optional<std::size_t>> calls_of_layers(const Graph& graph,
                                                        const std::vector<LibraryCall>& calls);

}  // namespace benanza
