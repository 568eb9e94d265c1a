#pragma once

#include "core/graph_file/data_flow.h"
#include "core/graph_file/graph.h"
#include "generator/lowered/lowered.h"

namespace benanza {

/// Makes the contents of a model's graph file: its layers, the fusions found, and the layout
/// transforms between layers. For a list, only its rows.
Graph make_graph(const LoweredGraph& lowered);

/// The same, and which tensors the calls work on. There is no data flow in a list or a training
/// step.
struct GraphAndFlow {
  Graph graph;
  std::optional<DataFlow> flow;
};
GraphAndFlow make_graph_and_flow(const LoweredGraph& lowered);

}  // namespace benanza
