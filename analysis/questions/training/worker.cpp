#include "analysis/questions/training/worker.h"

#include <algorithm>

#include "core/base/error.h"

namespace benanza::analysis {

bool has_phases(const Graph& graph) {
  return std::ranges::any_of(graph.layers,
                             [](const Layer& layer) { return layer.phase == "backward"; });
}

WorkerStep worker_step(const Graph& graph, const std::vector<double>& seconds, double element_bytes,
                       const GradientCopies& copies) {
  if (!has_phases(graph)) {
    throw Error(title(graph) +
                ": its layers have no phases: give the graph of a training step "
                "(benanza-generate --training)");
  }
  WorkerStep step;
  for (const std::size_t layer : topological_order(graph.layers)) {
    const std::string& phase = graph.layers[layer].phase;
    if (phase == "backward") {
      BackwardLayer own{.seconds = seconds[layer]};
      for (const std::int64_t elements : graph.layers[layer].gradients) {
        const double bytes = static_cast<double>(elements) * element_bytes;
        own.gradient_bytes += bytes;
        if (copies.pack) own.pack += copies.pack(bytes);
        if (copies.unpack) own.unpack += copies.unpack(bytes);
      }
      step.backward.push_back(own);
    } else if (phase == "update") {
      step.update += seconds[layer];
    } else {
      step.forward += seconds[layer];
    }
  }
  return step;
}

}  // namespace benanza::analysis
