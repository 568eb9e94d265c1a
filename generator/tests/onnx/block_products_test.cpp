// Products of 8-bit floats by weights whose blocks of 128 have scales.
#include <gmock/gmock.h>

#include "generator/tests/onnx/stored.h"

namespace benanza::onnx {
namespace {

using ::onnx::TensorProto;
using testing::ElementsAre;

constexpr int e4m3 = 17;
constexpr int e5m2 = 19;

/// x -> Q -> DQ -> times weights in blocks -> y. `scales`: those of the data.
struct Blocks {
  Dims scales{8, 4};
  std::int64_t axis = -1;
  std::int64_t block = 128;
  std::int64_t weight_block = 128;
  int type = e4m3;
};

LoweredGraph product_of(const Blocks& blocks) {
  Model model(23);
  model.input("x", {8, 512}).input("s", blocks.scales);
  stored(model, "z", blocks.scales, blocks.type);
  stored(model, "w", {512, 256}, blocks.type);
  stored(model, "ws", {512 / blocks.weight_block, 256}, TensorProto::FLOAT);
  model
      .node("QuantizeLinear", {"x", "s", "z"}, {"q"},
            {{"axis", blocks.axis}, {"block_size", blocks.block}})
      .node("DequantizeLinear", {"q", "s", "z"}, {"xd"},
            {{"axis", blocks.axis}, {"block_size", blocks.block}})
      .node("DequantizeLinear", {"w", "ws"}, {"wd"},
            {{"axis", 0}, {"block_size", blocks.weight_block}})
      .node("MatMul", {"xd", "wd"}, {"y"});
  return model.output("y").import();
}

TEST(BlockProducts, DataInBlocksAreMultipliedAsTheyAreStored) {
  const LoweredGraph graph = product_of({});
  EXPECT_EQ(named(graph, "y").precision, "fp8");
  EXPECT_THAT(named(graph, "y").problems, ElementsAre("gemm/m8_n256_k512_nn_w_packed.fp8.b128"));
  EXPECT_EQ(named(graph, "xd").cost, Cost::free);
  // Each block of the data is a row with a scale. Not part of the product, which makes floats.
  EXPECT_THAT(named(graph, "q").problems, ElementsAre("quantize/32x128_a0_fp8"));
  EXPECT_TRUE(named(graph, "q").precision.empty());
}

TEST(BlockProducts, DataMayHaveOneScaleOrOneForEachRow) {
  EXPECT_EQ(named(product_of({.scales = {1}, .block = 0}), "y").precision, "fp8");
  EXPECT_EQ(named(product_of({.scales = {8}, .axis = 0, .block = 0}), "y").precision, "fp8");
}

TEST(BlockProducts, OtherBlocksAndTypesAreProductsOfFloats) {
  const Blocks longer{.scales = {8, 2}, .axis = 1, .block = 256};
  const Blocks of_columns{.scales = {4, 512}, .axis = 0, .block = 2};
  for (const Blocks& blocks :
       {longer, of_columns, Blocks{.weight_block = 64}, Blocks{.type = e5m2}}) {
    const LoweredGraph graph = product_of(blocks);
    EXPECT_TRUE(named(graph, "y").precision.empty());
    EXPECT_NE(named(graph, "xd").cost, Cost::free);
  }
}

/// x -> Q -> DQ, and ONNX Runtime's operator -> Q -> DQ.
TEST(BlockProducts, OfOnnxRuntime) {
  Model model(23);
  model.input("x", {8, 512}).scalar("s", 0.1F);
  stored(model, "z", {}, e4m3);
  stored(model, "w", {256, 512}, e4m3);
  stored(model, "ws", {256, 4}, TensorProto::FLOAT);
  model.node("QuantizeLinear", {"x", "s", "z"}, {"q"})
      .node("DequantizeLinear", {"q", "s", "z"}, {"xd"});
  add_microsoft(model, "MatMulBlockQuantizedFp8Weight", {"xd", "w", "ws"}, {"y"});
  model.node("QuantizeLinear", {"y", "s", "z"}, {"yq"})
      .node("DequantizeLinear", {"yq", "s", "z"}, {"yd"});
  const LoweredGraph graph = model.output("yd").import();
  EXPECT_EQ(named(graph, "y").precision, "fp8");
  EXPECT_THAT(named(graph, "y").problems, ElementsAre("gemm/m8_n256_k512_nt_w_packed.fp8.b128"));
  EXPECT_EQ(named(graph, "xd").cost, Cost::free);
  // Its results are floats, which are converted.
  EXPECT_EQ(named(graph, "yq").cost, Cost::measured);
}

}  // namespace
}  // namespace benanza::onnx
