// Fused calls that stand for what their nodes do: measured, but in no plan.
#include <gtest/gtest.h>

#include "generator/fusion/fusion.h"
#include "generator/tests/onnx/stored.h"

namespace benanza::fusion {
namespace {

using onnx::Model;

/// The fusion of a convolution and its bias, with channels `last` or second.
FoundFusion biased(bool last) {
  Model model(21);
  model.domain("com.microsoft", 1).weights("w", {4, 3, 3, 2}).weights("b", {4});
  model.input("x", last ? Dims{1, 8, 9, 3} : Dims{1, 3, 8, 9});
  model.node(last ? "NhwcConv" : "Conv", {"x", "w", "b"}, {"y"});
  if (last) model.last().set_domain("com.microsoft");
  const LoweredGraph graph = model.output("y").import();
  for (const FoundFusion& fusion : find_fusions(graph.layers)) {
    if (fusion.pattern == "conv_bias") return fusion;
  }
  return {};
}

TEST(ProxyFlow, AConvolutionWithChannelsLastIsFusedWithoutSayingWhatItReads) {
  EXPECT_EQ(biased(true).problem, "conv/1x3x8x9_k4x3x2_p0.0.0.0_s1x1_d1x1_g1_bias");
  EXPECT_FALSE(biased(true).call) << "its elements lie in another order";
  EXPECT_EQ(biased(false).problem, biased(true).problem);
  EXPECT_TRUE(biased(false).call);
}

}  // namespace
}  // namespace benanza::fusion
