#include "analysis/regress/layer_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace benanza::regress {

LayerNames::LayerNames(const std::vector<Graph>& graphs) {
  for (const Graph& graph : graphs) {
    const std::string model =
        graph.batch ? fmt::format("{}, batch {}", graph.model, *graph.batch) : graph.model;
    const auto add = [&](const std::string& key, const std::string& layer) {
      std::vector<std::string>& known = layers_[key][model];
      if (std::ranges::find(known, layer) == known.end()) known.push_back(layer);
    };
    for (const Layer& layer : graph.layers) {
      for (const std::string& key : layer.problems) add(key, layer.name);
    }
    for (const Fusion& fusion : graph.fusions) {
      const std::string& last = graph.layers.at(fusion.layers.back()).name;
      add(fusion.problem, last);
      for (const std::string& key : fusion.also) add(key, last);
    }
  }
}

std::string LayerNames::of(std::string_view key) const {
  const auto found = layers_.find(key);
  if (found == layers_.end()) return "";
  std::string text;
  for (const auto& [model, layers] : found->second) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", model, layers.front());
    if (layers.size() > 1) text += fmt::format(" and {} more", layers.size() - 1);
  }
  return text;
}

}  // namespace benanza::regress
