#include "analysis/questions/training/worker.h"

#include <algorithm>

#include "core/base/error.h"

namespace benanza::analysis {

bool has_phases(const Graph& graph) {
  return std::ranges::any_of(graph.layers,
                             [](const Layer& layer) { return layer.phase == "backward"; });
}

WorkerStep worker_step(const Graph& graph, const std::vector<double>& seconds,
                       double element_bytes) {
  if (!has_phases(graph)) {
    throw Error(title(graph) +
                ": its layers have no phases: give the graph of a training step "
                "(benanza-generate --training)");
  }
  WorkerStep step;
  for (const std::size_t layer : topological_order(graph.layers)) {
    const auto& [phase, elements] =
        std::tie(graph.layers[layer].phase, graph.layers[layer].gradient_elements);
    if (phase == "backward") {
      step.backward.push_back({seconds[layer], static_cast<double>(elements) * element_bytes});
    } else if (phase == "update") {
      step.update += seconds[layer];
    } else {
      step.forward += seconds[layer];
    }
  }
  return step;
}

WorkerStep scaled(WorkerStep step, double factor) {
  step.forward *= factor;
  step.update *= factor;
  for (BackwardLayer& layer : step.backward) layer.seconds *= factor;
  return step;
}

}  // namespace benanza::analysis
