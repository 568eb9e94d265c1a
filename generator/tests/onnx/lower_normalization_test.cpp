// Normalizations, functions of transformers, integer arithmetic.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "generator/tests/onnx/model.h"

namespace benanza::onnx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Model normalization(const std::string& op, const Dims& input, const Dims& scale,
                    Attributes attributes, int opset, const std::string& domain = "") {
  Model model(opset);
  if (!domain.empty()) model.domain(domain, 1);
  model.input("x", input).weights("s", scale).weights("b", scale);
  model.node(op, {"x", "s", "b"}, {"y"}, attributes).output("y");
  model.last().set_domain(domain);
  return model;
}

TEST(LayerNormalization, RowsEndWhereTheAxisBegins) {
  EXPECT_THAT(normalization("LayerNormalization", {2, 5, 8}, {8}, {}, 17).layer().problems,
              ElementsAre("layernorm/10x8_e1e-05_sb"));
  EXPECT_THAT(
      normalization("LayerNormalization", {2, 5, 8}, {5, 8}, {{"axis", 1}, {"epsilon", 0.5F}}, 17)
          .layer()
          .problems,
      ElementsAre("layernorm/2x40_e0.5_sb"));
}

// ONNX Runtime's optimizer writes it into models of any opset.
TEST(LayerNormalization, IsOlderThanItsSchema) {
  for (const int opset : {7, 12, 16}) {
    EXPECT_THAT(normalization("LayerNormalization", {2, 5, 8}, {8}, {}, opset).layer().problems,
                ElementsAre("layernorm/10x8_e1e-05_sb"));
  }
}

TEST(LayerNormalization, MayDoWithoutABias) {
  Model model(17);
  model.input("x", {4, 8}).weights("s", {8}).node("LayerNormalization", {"x", "s"}, {"y"});
  EXPECT_THAT(model.output("y").layer().problems, ElementsAre("layernorm/4x8_e1e-05_s"));
}

TEST(LayerNormalization, ThatHandsOutItsStatisticsIsUnsupported) {
  Model model(17);
  model.input("x", {4, 8}).weights("s", {8});
  model.node("LayerNormalization", {"x", "s"}, {"y", "mean"}).output("y").output("mean");
  EXPECT_EQ(model.layer().cost, Cost::unsupported);
}

TEST(RmsNormalization, OfOpset23) {
  Model model(23);
  model.input("x", {2, 3, 8}).weights("s", {8}).node("RMSNormalization", {"x", "s"}, {"y"});
  EXPECT_THAT(model.output("y").layer().problems, ElementsAre("rmsnorm/6x8_e1e-05_s"));
}

TEST(SkipLayerNormalization, IsASumAndANormalization) {
  Model model(17);
  model.domain("com.microsoft", 1);
  model.input("x", {2, 3, 8}).input("skip", {2, 3, 8}).weights("s", {8}).weights("b", {8});
  model.weights("bias", {8});
  model.node("SkipLayerNormalization", {"x", "skip", "s", "b", "bias"}, {"y", "", "", "sum"},
             {{"epsilon", 1e-12F}});
  model.last().set_domain("com.microsoft");
  const LoweredLayer layer = model.output("y").output("sum").layer();
  EXPECT_THAT(layer.problems,
              ElementsAre("add/2x3x8_2x3x8", "add/2x3x8_1x1x8_w", "layernorm/6x8_e1e-12_sb"))
      << layer.reason;
  EXPECT_EQ(layer.calls[1].output, 3) << "the sum is an output, too";
  EXPECT_THAT(layer.calls[2].operands[0], (Source{Source::Kind::call, 1, 1}));
}

TEST(InstanceNormalization, EveryChannel) {
  EXPECT_THAT(normalization("InstanceNormalization", {2, 4, 5, 5}, {4}, {}, 17).layer().problems,
              ElementsAre("instancenorm/2x4x5x5_e1e-05_sb"));
  EXPECT_THROW(normalization("InstanceNormalization", {2, 4, 5, 5}, {3}, {}, 17).layer(), Error);
}

TEST(GroupNormalization, ScalesAreOfGroupsThenOfChannels) {
  const auto norm = [](int opset, std::int64_t scales) {
    return normalization("GroupNormalization", {2, 6, 5, 4}, {scales}, {{"num_groups", 3}}, opset)
        .layer()
        .problems;
  };
  EXPECT_THAT(norm(18, 3), ElementsAre("instancenorm/2x3x40_e1e-05", "mul/2x3x40_1x3x1_w",
                                       "add/2x3x40_1x3x1_w"));
  EXPECT_THAT(norm(21, 6), ElementsAre("instancenorm/2x3x2x20_e1e-05", "mul/2x6x20_1x6x1_w",
                                       "add/2x6x20_1x6x1_w"));
  EXPECT_THROW(norm(21, 5), Error);
}

LoweredLayer unary(const std::string& op, Attributes attributes, int opset,
                   const std::string& domain = "") {
  Model model(opset);
  if (!domain.empty()) model.domain(domain, 1);
  model.input("x", {2, 8}).node(op, {"x"}, {"y"}, attributes).output("y");
  model.last().set_domain(domain);
  return model.layer();
}

TEST(Functions, HaveTheirOwnKeys) {
  EXPECT_THAT(unary("Gelu", {}, 20).problems, ElementsAre("gelu/2x8"));
  EXPECT_THAT(unary("Gelu", {{"approximate", "tanh"}}, 20).problems, ElementsAre("gelutanh/2x8"));
  EXPECT_THAT(unary("Mish", {}, 18).problems, ElementsAre("mish/2x8"));
  EXPECT_THAT(unary("HardSigmoid", {}, 13).problems,
              ElementsAre("linear/2x8_a0.2_b0.5", "clip/2x8_a0_b1"));
  EXPECT_THAT(unary("Reciprocal", {}, 13).problems, ElementsAre("pow/2x8_a-1"));
  EXPECT_THAT(unary("Selu", {}, 13).problems,
              ElementsAre("elu/2x8_a1.6732632", "linear/2x8_a1.050701_b0"));
  EXPECT_THAT(unary("QuickGelu", {}, 17, "com.microsoft").problems,
              ElementsAre("swish/2x8_a1.702"));
  EXPECT_THAT(unary("FastGelu", {}, 17, "com.microsoft").problems, ElementsAre("gelutanh/2x8"));
}

TEST(Power, WithOneExponentIsAFunction) {
  const auto power = [](float exponent) {
    Model model(13);
    model.input("x", {2, 8}).scalar("p", exponent).node("Pow", {"x", "p"}, {"y"}).output("y");
    return model.layer();
  };
  EXPECT_THAT(power(2).problems, ElementsAre("pow/2x8_a2"));
  EXPECT_THAT(power(0.5F).problems, ElementsAre("sqrt/2x8"));
  EXPECT_EQ(power(1).cost, Cost::free);
  Model model(13);
  model.input("x", {2, 8}).input("p", {8}).node("Pow", {"x", "p"}, {"y"}).output("y");
  EXPECT_THAT(model.layer().problems, ElementsAre("power/2x8_1x8"));
}

TEST(Compare, GivesTruthFromReals) {
  Model model(13);
  model.input("a", {2, 3}).input("b", {3}).node("Less", {"a", "b"}, {"y"}).output("y");
  const LoweredLayer layer = model.layer();
  EXPECT_THAT(layer.problems, ElementsAre("lt/2x3_1x3"));
  EXPECT_EQ(layer.outputs[0].type, "bool");
  Model integers(13);
  integers.input("a", {3}, ::onnx::TensorProto::INT64).input("b", {3}, ::onnx::TensorProto::INT64);
  const LoweredLayer other = integers.node("Equal", {"a", "b"}, {"y"}).output("y").layer();
  EXPECT_THAT(other.problems, ElementsAre("copy/3_f1_t1"));
}

Model& zero_point(Model& model, const std::string& name, int type, std::int32_t value) {
  auto& tensor = *model.graph().add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  tensor.add_int32_data(value);
  return model;
}

LoweredLayer quantized_convolution(int weight_point) {
  using ::onnx::TensorProto;
  Model model(13);
  model.input("x", {1, 3, 8, 8}, TensorProto::UINT8).input("w", {4, 3, 3, 3}, TensorProto::INT8);
  model.input("bias", {4}, TensorProto::INT32).scalar("s", 0.5F);
  zero_point(model, "u", TensorProto::UINT8, 7);
  zero_point(model, "i", TensorProto::INT8, weight_point);
  model.node("QLinearConv", {"x", "s", "u", "w", "s", "i", "s", "u", "bias"}, {"y"},
             {{"pads", Dims{1, 1, 1, 1}}});
  return model.output("y").layer();
}

TEST(Quantized, ConvolutionIsTheConvolutionWithItsBias) {
  const LoweredLayer layer = quantized_convolution(0);
  EXPECT_THAT(layer.problems, ElementsAre("conv/1x3x8x8_k4x3x3_p1.1.1.1_s1x1_d1x1_g1_u8_bias"))
      << layer.reason;
  EXPECT_EQ(layer.calls[0].operands[1].index, 3);
  EXPECT_EQ(layer.calls[0].operands[2].index, 8);
}

TEST(Quantized, WeightsWithAZeroPointTakeSumsOfTheData) {
  const LoweredLayer layer = quantized_convolution(3);
  EXPECT_EQ(layer.cost, Cost::measured);
  EXPECT_THAT(layer.problems,
              ElementsAre("conv/1x3x8x8_k4x3x3_p1.1.1.1_s1x1_d1x1_g1_u8_bias",
                          "conv/1x3x8x8_k1x3x3_p1.1.1.1_s1x1_d1x1_g1_u8", "sub/1x4x8x8_1x1x8x8"));
  EXPECT_EQ(layer.calls[1].operands[1].index, 5);
  Model model(13);
  model.input("a", {2, 3, 8}, ::onnx::TensorProto::UINT8)
      .input("b", {8, 4}, ::onnx::TensorProto::UINT8);
  zero_point(model, "z", ::onnx::TensorProto::UINT8, 0);
  zero_point(model, "i", ::onnx::TensorProto::UINT8, 120);
  model.node("MatMulInteger", {"a", "b", "z", "i"}, {"y"}).output("y");
  EXPECT_THAT(model.layer().problems,
              ElementsAre("gemm/m6_n4_k8_nn_u8", "gemm/m6_n1_k8_nn_w_u8", "sub/6x4_6x1"));
}

TEST(Quantized, TwoTensorsOfDataTakeSumsOfBoth) {
  const auto problems = [](int a_point, int b_point) {
    Model model(13);
    model.input("a", {12, 16, 8}, ::onnx::TensorProto::INT8)
        .input("b", {12, 8, 32}, ::onnx::TensorProto::INT8)
        .scalar("s", 0.5F);
    zero_point(model, "y", ::onnx::TensorProto::INT8, a_point);
    zero_point(model, "z", ::onnx::TensorProto::INT8, b_point);
    model.node("QLinearMatMul", {"a", "s", "y", "b", "s", "z", "s", "z"}, {"c"}).output("c");
    return model.layer().problems;
  };
  const std::string product = "gemm/m16_n32_k8_nn_a12_b12";
  EXPECT_THAT(problems(0, 0), ElementsAre(product));
  EXPECT_THAT(problems(0, 3),
              ElementsAre(product, "gemm/m16_n1_k8_nn_a12_b1_w", "sub/12x16x32_12x16x1"));
  EXPECT_THAT(problems(5, 0),
              ElementsAre(product, "gemm/m1_n32_k8_nn_a1_b12", "sub/12x16x32_12x1x32"));
  EXPECT_EQ(problems(5, 3).size(), 5U);
}

TEST(Quantized, DepthwiseWeightsWithAZeroPointTakeSumsOfTheirChannels) {
  Model model(13);
  model.input("x", {1, 4, 8, 8}, ::onnx::TensorProto::UINT8)
      .input("w", {4, 1, 3, 3}, ::onnx::TensorProto::UINT8);
  zero_point(model, "z", ::onnx::TensorProto::UINT8, 0);
  zero_point(model, "i", ::onnx::TensorProto::UINT8, 120);
  model.node("ConvInteger", {"x", "w", "z", "i"}, {"y"}, {{"group", 4}}).output("y");
  EXPECT_THAT(model.layer().problems,
              ElementsAre("conv/1x4x8x8_k4x3x3_p0.0.0.0_s1x1_d1x1_g4_u8",
                          "conv/1x4x8x8_k4x3x3_p0.0.0.0_s1x1_d1x1_g4_u8", "sub/1x4x6x6_1x4x6x6"));
}

TEST(Quantized, MatMulIntegerIsAProduct) {
  Model model(13);
  model.input("a", {2, 3, 8}, ::onnx::TensorProto::UINT8)
      .input("b", {8, 4}, ::onnx::TensorProto::INT8);
  model.node("MatMulInteger", {"a", "b"}, {"y"}).output("y");
  EXPECT_THAT(model.layer().problems, ElementsAre("gemm/m6_n4_k8_nn_u8"));
}

TEST(Quantized, ConversionsByOneScaleOrOnePerChannel) {
  Model model(19);
  model.input("x", {2, 4, 5}).scalar("s", 0.5F).weights("ss", {4});
  zero_point(model, "i", ::onnx::TensorProto::INT8, 0);
  EXPECT_THAT(
      Model(model).node("QuantizeLinear", {"x", "s", "i"}, {"y"}).output("y").layer().problems,
      ElementsAre("quantize/2x4x5"));
  const LoweredLayer layer =
      Model(model).node("QuantizeLinear", {"x", "ss"}, {"y"}).output("y").layer();
  EXPECT_THAT(layer.problems, ElementsAre("quantize/2x4x5_a1")) << layer.reason;
  EXPECT_EQ(layer.bytes, 2 * 4 * 5 * (4 + 1));
}

TEST(Contrib, FusedMatMulIsAProductAndItsFactor) {
  Model model(17);
  model.domain("com.microsoft", 1).input("a", {2, 3, 8}).input("b", {2, 5, 8});
  model.node("FusedMatMul", {"a", "b"}, {"y"}, {{"transB", 1}, {"alpha", 0.125F}}).output("y");
  model.last().set_domain("com.microsoft");
  const LoweredLayer layer = model.layer();
  EXPECT_THAT(layer.problems, ElementsAre("gemm/m3_n5_k8_nt_a2_b2", "linear/2x3x5_a0.125_b0"));
  EXPECT_EQ(layer.outputs[0].shape, (Dims{2, 3, 5}));
}

TEST(Contrib, TheRestSaysWhyNot) {
  Model model(17);
  model.domain("com.microsoft", 1).input("x", {2, 8});
  model.node("MatMulNBits", {"x", "x", "x"}, {"y"}, {{"N", 16}, {"K", 8}}).output("y");
  model.last().set_domain("com.microsoft");
  const LoweredLayer layer = model.layer();
  EXPECT_EQ(layer.cost, Cost::unsupported);
  EXPECT_THAT(layer.reason, HasSubstr("weights that change with every run"));
  EXPECT_EQ(layer.outputs[0].shape, (Dims{2, 16}));
}

// What is left of a reduction over axes of one element.
TEST(Reduction, OfOnesIsAFunctionOfEachElement) {
  const auto layer = [](const std::string& op) {
    Model model(13);
    model.input("x", {1, 8}).node(op, {"x"}, {"y"}, {{"axes", Dims{0}}});
    return model.output("y").layer();
  };
  EXPECT_THAT(layer("ReduceL1").problems, testing::ElementsAre("abs/1x8"));
  EXPECT_THAT(layer("ReduceL2").problems, testing::ElementsAre("abs/1x8"));
  EXPECT_THAT(layer("ReduceSumSquare").problems, testing::ElementsAre("mul/1x8_1x8"));
  EXPECT_THAT(layer("ReduceLogSum").problems, testing::ElementsAre("log/1x8"));
  EXPECT_EQ(layer("ReduceLogSumExp").cost, Cost::free);
}

}  // namespace
}  // namespace benanza::onnx
