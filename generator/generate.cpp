#include "generator/generate.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "generator/fusion/fusion.h"
#include "generator/fusion/layout_transforms.h"
#include "generator/fusion/padding.h"
#include "generator/lowered/number_tensors.h"

namespace benanza {

Graph make_graph(const LoweredGraph& lowered) { return make_graph_and_flow(lowered).graph; }

GraphAndFlow make_graph_and_flow(const LoweredGraph& lowered) {
  if (!lowered.list.empty()) {
    Graph graph;
    graph.model = lowered.model;
    graph.layers.assign(lowered.layers.begin(), lowered.layers.end());
    return {std::move(graph), std::nullopt};
  }
  std::vector<Fusion> fusions;
  std::vector<FusedCalls> calls;
  for (fusion::FoundFusion& found : fusion::find_fusions(lowered.layers)) {
    calls.push_back({std::move(found.call), found.layers.front(), std::move(found.calls)});
    fusions.push_back(std::move(found));
  }
  fusions.insert(fusions.end(), lowered.fusions.begin(), lowered.fusions.end());
  if (lowered.pads) {
    std::ranges::move(fusion::paddings(lowered.layers, fusions), std::back_inserter(fusions));
  }
  calls.resize(fusions.size());
  std::optional<DataFlow> flow;
  if (!lowered.results.empty()) flow = number_tensors(lowered, std::move(calls));
  return {{.model = lowered.model,
           .batch = lowered.batch,
           .opset = lowered.opset,
           .compulsory = lowered.compulsory,
           .layers = {lowered.layers.begin(), lowered.layers.end()},
           .fusions = std::move(fusions),
           .transforms = fusion::layout_transforms(lowered.layers),
           .metadata = lowered.metadata},
          std::move(flow)};
}

}  // namespace benanza
