#pragma once

#include <functional>
#include <vector>

#include "analysis/model/iteration.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// True if the graph is of a training step: its layers state which are of the backward pass.
bool has_phases(const Graph& graph);

/// Seconds to copy a gradient of that many bytes into its message, and back. Null: not copied.
struct GradientCopies {
  std::function<double(double bytes)> pack{};
  std::function<double(double bytes)> unpack{};
};

/// Returns one worker's computation from the seconds of every layer: layers of the backward pass
/// one by one, in topological order; layers without a phase count as forward. `element_bytes`:
/// bytes per gradient element. Input times stay 0. Throws Error for a graph without phases.
WorkerStep worker_step(const Graph& graph, const std::vector<double>& seconds, double element_bytes,
                       const GradientCopies& copies = {});

}  // namespace benanza::analysis
