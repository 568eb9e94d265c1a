#include "analysis/model/conversions.h"

#include <map>
#include <set>
#include <utility>

namespace benanza::analysis {
namespace {

/// A tensor by the layer that wrote it, and its precision.
using Tensor = std::pair<std::size_t, Precision>;

bool computes(const LayerTime& time) {
  return time.status == LayerStatus::measured && !time.calls.empty();
}

std::optional<double> elements_of(const Layer& layer) {
  if (layer.outputs.empty() || !layer.outputs.front().shape) return std::nullopt;
  double elements = 1;
  for (const std::int64_t extent : *layer.outputs.front().shape) {
    elements *= static_cast<double>(extent);
  }
  return elements;
}

}  // namespace

Conversions conversions(const Graph& graph, const std::vector<LayerTime>& times) {
  // What each layer's readers find: its own tensor, or those that it passes on.
  std::vector<std::set<Tensor>> found(times.size());
  std::set<std::pair<Tensor, Precision>> converted;
  Conversions sum;
  for (std::size_t layer = 0; layer < times.size(); ++layer) {
    std::set<Tensor> read;
    for (const std::size_t input : graph.layers[layer].inputs) {
      read.insert(found[input].begin(), found[input].end());
    }
    if (!computes(times[layer])) {
      found[layer] = std::move(read);
      continue;
    }
    const Precision precision = times[layer].calls.front()->variant.precision;
    found[layer] = {{layer, precision}};
    for (const Tensor& tensor : read) {
      if (tensor.second == precision || !converted.emplace(tensor, precision).second) continue;
      ++sum.tensors;
      const auto elements = elements_of(graph.layers[tensor.first]);
      const auto bytes =
          static_cast<double>(element_bytes(tensor.second) + element_bytes(precision));
      sum.bytes =
          sum.bytes && elements ? std::optional(*sum.bytes + *elements * bytes) : std::nullopt;
    }
  }
  return sum;
}

}  // namespace benanza::analysis
