#pragma once

#include <functional>
#include <vector>

#include "analysis/model/iteration.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// Is the graph that of a training step: does it say which layers are of the backward pass?
bool has_phases(const Graph& graph);

/// Seconds in which a gradient of so many bytes is copied into its message, and back. Null: it is
/// not.
struct GradientCopies {
  std::function<double(double bytes)> pack{};
  std::function<double(double bytes)> unpack{};
};

/// What one worker computes, by the seconds of every layer: layers of the backward pass one by one,
/// in the order in which they can run; layers without a phase count with the forward pass.
/// `element_bytes`: of a gradient. Input is left at 0. Throws Error for a graph without phases.
WorkerStep worker_step(const Graph& graph, const std::vector<double>& seconds, double element_bytes,
                       const GradientCopies& copies = {});

}  // namespace benanza::analysis
