#include "generator/generate.h"

#include <utility>

#include "generator/fusion/fusion.h"
#include "generator/fusion/layout_transforms.h"

namespace benanza {

Graph make_graph(const LoweredGraph& lowered) {
  if (!lowered.list.empty()) {
    Graph graph;
    graph.model = lowered.model;
    graph.layers.assign(lowered.layers.begin(), lowered.layers.end());
    return graph;
  }
  std::vector<Fusion> fusions = fusion::find_fusions(lowered.layers);
  fusions.insert(fusions.end(), lowered.fusions.begin(), lowered.fusions.end());
  return {.model = lowered.model,
          .batch = lowered.batch,
          .opset = lowered.opset,
          .compulsory = lowered.compulsory,
          .layers = {lowered.layers.begin(), lowered.layers.end()},
          .fusions = std::move(fusions),
          .transforms = fusion::layout_transforms(lowered.layers)};
}

}  // namespace benanza
