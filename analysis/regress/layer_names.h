#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph_file/graph.h"

namespace benanza::regress {

/// Returns where a problem comes from: "resnet50_v1: conv2 and 3 more"; empty if from no model.
using LayersOf = std::function<std::string(std::string_view key)>;

/// The layers of `graphs` by their problems, those of fusions included, which are named by the
/// layer that they end with.
class LayerNames {
 public:
  explicit LayerNames(const std::vector<Graph>& graphs);

  std::string of(std::string_view key) const;

 private:
  /// By problem: of each model that has it, its layers.
  std::map<std::string, std::map<std::string, std::vector<std::string>>, std::less<>> layers_;
};

}  // namespace benanza::regress
