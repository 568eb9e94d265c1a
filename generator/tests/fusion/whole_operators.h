#pragma once

#include <string>
#include <vector>

#include "generator/fusion/fusion.h"
#include "generator/tests/onnx/model.h"

namespace benanza::fusion {

/// Returns "gelu 1 2 3 4 5: gelu/2x7x12" for every whole operator of the model,
/// without those that are taken apart.
inline std::vector<std::string> whole_operators(onnx::Model& model) {
  std::vector<std::string> lines;
  for (const Fusion& fusion : find_fusions(model.import().layers)) {
    if (!fusion.whole || fusion.pattern == "parts") continue;
    std::string line = fusion.pattern;
    for (const std::size_t layer : fusion.layers) line += ' ' + std::to_string(layer);
    lines.push_back(line + ": " + fusion.problem);
  }
  return lines;
}

}  // namespace benanza::fusion
