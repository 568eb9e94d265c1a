#pragma once

#include "core/graph_file/graph.h"
#include "generator/lowered/lowered.h"

namespace benanza {

/// What the graph file of a model holds: its layers, what may be fused, and the changes of layout
/// between its layers.
Graph make_graph(const LoweredGraph& lowered);

}  // namespace benanza
