#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generator/fusion/fusion.h"
#include "generator/tests/onnx/model.h"

/// Models with attention from separate nodes.
namespace benanza::fusion {

/// The attention that is found in the model.
inline std::vector<std::string> problems(const onnx::Model& model) {
  std::vector<std::string> found;
  for (const Fusion& fusion : find_fusions(model.import().layers)) {
    if (fusion.pattern == "attention") found.push_back(fusion.problem);
  }
  return found;
}

/// Ends attention whose masked scores are "m".
inline onnx::Model& attended(onnx::Model& model, std::int64_t axis = 3) {
  model.node("Softmax", {"m"}, {"p"}, {{"axis", axis}});
  return model.node("MatMul", {"p", "v"}, {"y"}).output("y");
}

/// Scores "s" of 4 heads of size 16, `queries` and `keys`.
inline onnx::Model scored(int opset, std::int64_t queries = 5, std::int64_t keys = 5) {
  onnx::Model model(opset);
  model.input("q", {2, 4, queries, 16}).input("kt", {2, 4, 16, keys});
  return model.input("v", {2, 4, keys, 16}).node("MatMul", {"q", "kt"}, {"s"});
}

}  // namespace benanza::fusion
