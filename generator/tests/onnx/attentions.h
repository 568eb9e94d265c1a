#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "generator/fusion/fusion.h"
#include "generator/tests/onnx/model.h"

namespace benanza::onnx {

/// Attention of opset 23.
inline Model attention(const Dims& q, const Dims& kv, Attributes attributes = {},
                       const std::vector<std::string>& inputs = {"q", "k", "v"}) {
  Model model(23);
  model.input("q", q).input("k", kv).input("v", kv);
  model.node("Attention", inputs, {"y"}, attributes).output("y");
  return model;
}

/// The problems of these fusions, each of one operator.
inline std::vector<std::string> fused(const Model& model) {
  std::vector<std::string> found;
  for (const Fusion& fusion : fusion::find_fusions(model.import().layers)) {
    if (fusion.pattern != "attention") continue;
    EXPECT_TRUE(fusion.whole);
    found.push_back(fusion.problem);
  }
  return found;
}

/// The fusions of find_fusions() that are attention.
inline std::vector<Fusion> attentions(const LoweredGraph& graph) {
  std::vector<Fusion> found;
  for (const Fusion& fusion : fusion::find_fusions(graph.layers)) {
    if (fusion.pattern == "attention") found.push_back(fusion);
  }
  return found;
}

}  // namespace benanza::onnx
