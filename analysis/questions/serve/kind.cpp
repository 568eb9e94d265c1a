#include "analysis/questions/serve/kind.h"

#include <algorithm>
#include <string>

#include "core/problem/problem.h"
#include "core/problem/text.h"

namespace benanza::analysis {
namespace {

bool contains_text(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

LayerKind kind_of_layer(const Layer& layer, const LayerTime& time) {
  std::vector<std::string_view> keys{layer.problems.begin(), layer.problems.end()};
  if (!time.calls.empty()) {
    keys.clear();
    for (const Measurement* call : time.calls) keys.emplace_back(call->variant.key);
  }
  const auto asks = [&](const auto& is_one) { return std::ranges::any_of(keys, is_one); };
  if (contains_text(layer.op, "MoE") || contains_text(layer.name, "expert") ||
      asks(asks_for<GroupedGemm>)) {
    return LayerKind::experts;
  }
  if (contains_text(layer.op, "Attention") || asks(asks_for<Attention>))
    return LayerKind::attention;
  if (contains_text(layer.op, "Norm") ||
      asks(asks_for<LayerNormalization, InstanceNormalization, BatchNormalization>)) {
    return LayerKind::normalization;
  }
  if (asks(asks_for<Gemm, Convolution, SparseProduct>)) return LayerKind::products;
  if (asks(asks_for<Collective>)) return LayerKind::communication;
  return LayerKind::other;
}

}  // namespace

std::string_view to_string(LayerKind kind) {
  switch (kind) {
    case LayerKind::experts:
      return "experts";
    case LayerKind::attention:
      return "attention";
    case LayerKind::normalization:
      return "normalization";
    case LayerKind::products:
      return "products";
    case LayerKind::communication:
      return "communication";
    case LayerKind::other:
      return "other";
  }
  return "";
}

std::vector<LayerKind> kinds_of(const Graph& graph, const std::vector<LayerTime>& times) {
  std::vector<LayerKind> kinds;
  for (std::size_t layer = 0; layer < times.size(); ++layer) {
    kinds.push_back(kind_of_layer(graph.layers[layer], times[layer]));
  }
  for (std::size_t layer = 0; layer < times.size(); ++layer) {
    for (const std::size_t part : times[layer].does) kinds[part] = kinds[layer];
  }
  return kinds;
}

}  // namespace benanza::analysis
