#pragma once

#include "core/graph_file/graph.h"
#include "generator/lowered/lowered.h"

namespace benanza {

/// The content of a model's graph file: its layers, the fusions that were found, and the changes of
/// layout between layers. Of a list: its rows alone.
Graph make_graph(const LoweredGraph& lowered);

}  // namespace benanza
