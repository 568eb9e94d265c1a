#include "generator/fusion/layout_transforms.h"

#include <gmock/gmock.h>

#include "generator/tests/onnx/model.h"

namespace benanza::fusion {
namespace {

using onnx::Model;

std::string text(const LayoutTransform& transform) {
  const auto show = [](const std::optional<std::string>& problem) {
    return problem.value_or("none");
  };
  return std::to_string(transform.layer) + (transform.of_input ? " input " : " output ") +
         show(transform.to_nhwc) + ' ' + show(transform.to_nchw);
}

std::vector<std::string> texts(const LoweredGraph& graph) {
  std::vector<std::string> texts;
  for (const LayoutTransform& transform : layout_transforms(graph.layers)) {
    texts.push_back(text(transform));
  }
  return texts;
}

TEST(LayoutTransforms, StandBetweenOperatorsWithAChannelOrder) {
  const LoweredGraph graph = Model(13)
                                 .input("x", {2, 3, 4, 4})
                                 .weights("w", {8, 3, 1, 1})
                                 .node("Conv", {"x", "w"}, {"conv"})
                                 .node("Relu", {"conv"}, {"relu"})
                                 .node("Tanh", {"relu"}, {"tanh"})
                                 .node("GlobalAveragePool", {"tanh"}, {"pool"})
                                 .node("Flatten", {"pool"}, {"flat"})
                                 .output("flat")
                                 .import({});
  // Element (n, c, p) of 2 x 3 x 16 goes to (n, p, c), and back. Of the activations' results, the
  // pooling reads that of the second; no operator with a channel order reads that of the first.
  // With one position the orders are the same.
  EXPECT_THAT(
      texts(graph),
      testing::ElementsAre("0 input copy/2x16x3_f48.1.16_t48.3.1 copy/2x3x16_f48.1.3_t48.16.1",
                           "0 output copy/2x16x8_f128.1.16_t128.8.1 copy/2x8x16_f128.1.8_t128.16.1",
                           "2 output copy/2x16x8_f128.1.16_t128.8.1 copy/2x8x16_f128.1.8_t128.16.1",
                           "3 output none none"));
}

TEST(LayoutTransforms, OneImageNeedsNoBatchAxis) {
  const LoweredGraph graph = Model(13)
                                 .input("x", {1, 3, 4, 4})
                                 .weights("w", {1, 3, 1, 1})
                                 .node("Conv", {"x", "w"}, {"conv"})
                                 .output("conv")
                                 .import({});
  EXPECT_THAT(texts(graph),
              testing::ElementsAre("0 input copy/16x3_f1.16_t3.1 copy/3x16_f1.3_t16.1",
                                   "0 output none none"));
}

TEST(LayoutTransforms, WeightsHaveNone) {
  const LoweredGraph graph = Model(13)
                                 .input("x", {1, 3, 4, 4})
                                 .weights("w", {1, 3, 1, 1})
                                 .node("Identity", {"w"}, {"same"})
                                 .node("Conv", {"x", "same"}, {"conv"})
                                 .output("conv")
                                 .import({});
  EXPECT_THAT(texts(graph),
              testing::ElementsAre("1 input copy/16x3_f1.16_t3.1 copy/3x16_f1.3_t16.1",
                                   "1 output none none"));
}

TEST(LayoutTransforms, ProductsHaveNone) {
  const LoweredGraph graph = Model(13)
                                 .input("x", {2, 5, 4})
                                 .weights("w", {4, 6})
                                 .node("MatMul", {"x", "w"}, {"y"})
                                 .node("Relu", {"y"}, {"z"})
                                 .output("z")
                                 .import({});
  EXPECT_THAT(texts(graph), testing::IsEmpty());
}

}  // namespace
}  // namespace benanza::fusion
