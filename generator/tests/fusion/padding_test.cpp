// Products and convolutions of sizes that fast kernels like.
#include "generator/fusion/padding.h"

#include <gmock/gmock.h>

#include "generator/generate.h"
#include "generator/tests/onnx/model.h"

namespace benanza::fusion {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// The keys of the padded problem and of its copies.
std::vector<std::string> keys(const char* text) {
  const auto found = padded(parse(text));
  if (!found) return {};
  std::vector<std::string> keys{key(found->problem)};
  for (const Problem& copy : found->copies) keys.push_back(key(copy));
  return keys;
}

// 50257 = 785 * 64 + 17.
TEST(Padding, ManyColumnsOfWeights) {
  EXPECT_THAT(keys("gemm/m4_n50257_k768_nt_w_bias"),
              ElementsAre("gemm/m4_n50304_k768_nt_w_bias", "copy/4x50257_f50304.1_t50257.1"));
}

// 1000 = 62 * 16 + 8: most kernels take it, few of them the fastest.
TEST(Padding, AColumnCountThatIsAnOddMultipleOfEight) {
  EXPECT_THAT(keys("gemm/m4_n1000_k768_nt_w"),
              ElementsAre("gemm/m4_n1008_k768_nt_w", "copy/4x1000_f1008.1_t1000.1"));
}

TEST(Padding, ASummedExtentIsCopiedIntoPlaceBefore) {
  EXPECT_THAT(keys("gemm/m4_n32_k27_nt_w"),
              ElementsAre("gemm/m4_n32_k32_nt_w", "copy/4x27_f27.1_t32.1"));
}

// Two images of 5x5 pixels; the result has 3x3.
TEST(Padding, ChannelsAndFilters) {
  EXPECT_THAT(keys("conv/2x3x5x5_k20x3x3_p0.0.0.0_s1x1_d1x1_g1_bias_relu"),
              ElementsAre("conv/2x8x5x5_k32x3x3_p0.0.0.0_s1x1_d1x1_g1_bias_relu",
                          "copy/50x3_f3.1_t8.1", "copy/18x20_f32.1_t20.1"));
}

TEST(Padding, NothingWhereSizesAreGoodOrOtherTensorsWouldHaveToBePadded) {
  for (const char* const text :
       {"gemm/m3_n64_k16_nt_w", "gemm/m4_n1000_k768_nt", "gemm/m4_n1000_k768_nt_w_residual",
        "conv/2x3x5x5_k21x3x3_p0.0.0.0_s1x1_d1x1_g3", "conv/1x8x5x5_k16x3x3_p0.0.0.0_s1x1_d1x1_g1",
        "relu/3x5"}) {
    EXPECT_THAT(keys(text), IsEmpty()) << text;
  }
}

TEST(Padding, OfAModelOnRequestOnly) {
  LoweredGraph graph = onnx::Model(13)
                           .input("x", {1, 3, 4, 4})
                           .weights("w", {8, 3, 1, 1})
                           .node("Conv", {"x", "w"}, {"c"})
                           .node("Relu", {"c"}, {"r"})
                           .output("r")
                           .import();
  const auto patterns = [&] {
    std::vector<std::string> names;
    for (const Fusion& fusion : make_graph(graph).fusions) names.push_back(fusion.pattern);
    return names;
  };
  EXPECT_THAT(patterns(), ElementsAre("conv_relu"));
  graph.pads = true;
  EXPECT_THAT(patterns(), ElementsAre("conv_relu", "padded", "padded_conv_relu"));
  const Fusion padded = make_graph(graph).fusions.back();
  EXPECT_THAT(padded.layers, ElementsAre(0, 1));
  EXPECT_EQ(padded.problem, "conv/1x8x4x4_k8x1x1_p0.0.0.0_s1x1_d1x1_g1_relu");
  EXPECT_THAT(padded.also, ElementsAre("copy/16x3_f3.1_t8.1"));
  EXPECT_FALSE(padded.whole) << "frameworks do not pad: it is no part of the bound without fusion";
}

}  // namespace
}  // namespace benanza::fusion
