#include "analysis/profile_match/calls.h"

#include "analysis/profile_match/mapping.h"
#include "core/problem/problem.h"

namespace benanza::analysis {

std::vector<std::optional<std::size_t>> calls_of_layers(const Graph& graph,
                                                        const std::vector<LibraryCall>& calls) {
  std::vector<ProfiledNode> nodes;
  for (const LibraryCall& call : calls) {
    const Problem problem = parse(call.problem);
    const std::string_view kind = op(problem);
    const std::string name = kind == "conv"   ? "Conv"
                             : kind == "gemm" ? "MatMul"
                                              : "BatchNormalization";
    nodes.push_back({.name = call.function,
                     .origin = "",
                     .op = name,
                     .seconds = 0,
                     .parts = {{.op = name, .problem = call.problem, .output = output(problem)}}});
  }
  const Mapping mapping = map_layers(graph, nodes);
  std::vector<std::optional<std::size_t>> found(graph.layers.size());
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    if (mapping.found[layer] == Found::problem || mapping.found[layer] == Found::moved) {
      found[layer] = mapping.node_of_layer[layer];
    }
  }
  return found;
}

}  // namespace benanza::analysis
