#pragma once

#include "core/graph_file/graph.h"
#include "generator/lowered/lowered.h"

namespace benanza {

/// Makes the contents of a model's graph file: its layers, the fusions found, and the layout
/// transforms between layers. For a list, only its rows.
Graph make_graph(const LoweredGraph& lowered);

}  // namespace benanza
