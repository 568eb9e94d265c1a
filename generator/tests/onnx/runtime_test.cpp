// Operators written by ONNX Runtime's optimizers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generator/tests/onnx/model.h"

namespace benanza::onnx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Model contrib(int opset = 17) {
  Model model(opset);
  model.domain("com.microsoft", 1);
  return model;
}

LoweredLayer last(Model& model, const std::string& domain = "com.microsoft") {
  model.last().set_domain(domain);
  return model.output("y").layer();
}

TEST(FusedConv, IsAConvolutionItsBiasASumAndAFunction) {
  Model model = contrib();
  model.input("x", {1, 3, 8, 8}).input("z", {1, 4, 8, 8}).weights("w", {4, 3, 3, 3});
  model.weights("b", {4}).node("FusedConv", {"x", "w", "b", "z"}, {"y"},
                               {{"pads", Dims{1, 1, 1, 1}}, {"activation", "Relu"}});
  const LoweredLayer layer = last(model);
  EXPECT_THAT(layer.problems,
              ElementsAre("conv/1x3x8x8_k4x3x3_p1.1.1.1_s1x1_d1x1_g1", "add/1x4x8x8_1x4x1x1_w",
                          "add/1x4x8x8_1x4x8x8", "relu/1x4x8x8"))
      << layer.reason;
  EXPECT_EQ(layer.outputs[0].shape, (Dims{1, 4, 8, 8}));
}

TEST(FusedConv, FunctionsHaveParameters) {
  const auto function = [](const char* name, const std::vector<float>& parameters) {
    Model model = contrib();
    model.input("x", {1, 3, 4, 4}).weights("w", {4, 3, 1, 1});
    model.node("FusedConv", {"x", "w"}, {"y"},
               {{"activation", name}, {"activation_params", parameters}});
    return last(model);
  };
  EXPECT_THAT(function("Clip", {0, 6}).problems.back(), "clip/1x4x4x4_a0_b6");
  EXPECT_THAT(function("LeakyRelu", {0.25F}).problems.back(), "leakyrelu/1x4x4x4_a0.25");
  EXPECT_EQ(function("HardSigmoid", {0.25F, 0.5F}).problems.size(), 3U);
  EXPECT_THAT(function("Spike", {}).reason, HasSubstr("Spike"));
}

TEST(FusedGemm, IsAProductAndAFunction) {
  Model model = contrib();
  model.input("x", {2, 8}).weights("w", {4, 8}).weights("b", {4});
  model.node("FusedGemm", {"x", "w", "b"}, {"y"},
             {{"transB", 1}, {"activation", "LeakyRelu"}, {"activation_alpha", 0.25F}});
  EXPECT_THAT(last(model).problems,
              ElementsAre("gemm/m2_n4_k8_nt_w", "add/2x4_1x4_w", "leakyrelu/2x4_a0.25"));
}

TEST(BlockedLayout, NamesTheSameTensors) {
  Model model = contrib();
  model.domain("com.microsoft.nchwc", 1);
  model.input("x", {1, 8, 6, 6}).weights("w", {16, 8, 3, 3});
  model.node("Conv", {"x", "w"}, {"c"}, {{"activation", "Relu"}});
  model.last().set_domain("com.microsoft.nchwc");
  model.node("ReorderOutput", {"c"}, {"y"}, {{"channels", 10}});
  const LoweredLayer layer = last(model, "com.microsoft.nchwc");
  EXPECT_EQ(layer.outputs[0].shape, (Dims{1, 10, 4, 4})) << "channels were filled up to 16";
  EXPECT_EQ(layer.cost, Cost::movement);
}

/// 24 channels for convolutions in blocks, whose weights say how large these are.
Model in_blocks(std::int64_t channels, std::int64_t others = 16) {
  Model model = contrib();
  model.domain("com.microsoft.nchwc", 1);
  const auto of_blocks = [&] { model.last().set_domain("com.microsoft.nchwc"); };
  model.input("x", {1, 24, 6, 6}).weights("w", {16, channels, 1, 1});
  model.weights("v", {others, 16, 1, 1});
  model.node("ReorderInput", {"x"}, {"r"});
  of_blocks();
  model.node("Conv", {"r", "w"}, {"c"}, {{"activation", "HardSwish"}});
  of_blocks();
  model.node("Conv", {"c", "v"}, {"d"});
  of_blocks();
  model.node("Upsample", {"d"}, {"u"}, {{"scales", Dims{1, 1, 2, 2}}, {"mode", "nearest"}});
  of_blocks();
  model.node("ReorderOutput", {"u"}, {"y"}, {{"channels", 12}});
  of_blocks();
  return model.output("y");
}

TEST(BlockedLayout, ChannelsAreFilledUpToBlocks) {
  const auto layers = [](Model model) { return model.import().layers; };
  const std::vector<LoweredLayer> of_16 = layers(in_blocks(32));
  EXPECT_EQ(of_16[0].outputs[0].shape, (Dims{1, 32, 6, 6}));
  EXPECT_THAT(of_16[1].problems,
              ElementsAre("conv/1x32x6x6_k16x1x1_p0.0.0.0_s1x1_d1x1_g1", "hardswish/1x16x6x6"));
  EXPECT_EQ(of_16[3].outputs[0].shape, (Dims{1, 16, 12, 12}));
  EXPECT_EQ(of_16[3].cost, Cost::movement);
  EXPECT_EQ(of_16[4].outputs[0].shape, (Dims{1, 12, 12, 12}));
  EXPECT_EQ(layers(in_blocks(24))[0].outputs[0].shape, (Dims{1, 24, 6, 6}));
  EXPECT_EQ(layers(in_blocks(24, 8))[0].outputs[0].shape, (Dims{1, 24, 6, 6}));
}

TEST(QuantizedGemm, HasItsBiasInTheCall) {
  Model model = contrib();
  const int bytes = ::onnx::TensorProto::INT8;
  model.input("a", {2, 8}, bytes)
      .input("b", {8, 4}, bytes)
      .input("c", {4}, ::onnx::TensorProto::INT32);
  for (const char* name : {"sa", "sb", "sy"}) model.scalar(name, 0.5F);
  model.input("zy", {}, bytes);
  model.node("QGemm", {"a", "sa", "", "b", "sb", "", "c", "sy", "zy"}, {"y"});
  const LoweredLayer layer = last(model);
  EXPECT_THAT(layer.problems, ElementsAre("gemm/m2_n4_k8_nn_bias")) << layer.reason;
  EXPECT_EQ(layer.outputs[0].type, "int8");
}

TEST(QuantizedConcat, JoinsItsParts) {
  Model model = contrib();
  const int bytes = ::onnx::TensorProto::UINT8;
  model.input("a", {2, 8}, bytes).input("b", {2, 3}, bytes).scalar("s", 0.5F);
  model.input("z", {}, bytes);
  model.node("QLinearConcat", {"s", "z", "a", "s", "z", "b", "s", "z"}, {"y"}, {{"axis", 1}});
  EXPECT_EQ(last(model).outputs[0].shape, (Dims{2, 11}));
}

}  // namespace
}  // namespace benanza::onnx
