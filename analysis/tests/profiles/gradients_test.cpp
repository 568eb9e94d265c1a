// Operators of PyTorch's backward pass, with their arguments as its profiler records them.
#include <gmock/gmock.h>

#include "analysis/profiles/kineto/aten.h"

namespace benanza::analysis::kineto {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

Argument tensor(Dims dims) { return {.dims = std::move(dims), .type = "float"}; }
Argument value(const std::string& text) { return {.value = text}; }
const Argument none{};

std::vector<std::string> problems(const std::string& name, std::vector<Argument> arguments) {
  std::vector<std::string> keys;
  for (const Part& part : parts_of({.name = "aten::" + name, .arguments = std::move(arguments)})) {
    keys.push_back(part.op + ' ' + part.problem);
  }
  return keys;
}

std::vector<Argument> convolution(const std::string& wanted) {
  return {tensor({4, 8, 5, 5}), tensor({4, 3, 10, 10}), tensor({8, 3, 3, 3}),
          value("[8]"),         value("[2, 2]"),        value("[1, 1]"),
          value("[1, 1]"),      value("False"),         value("[0, 0]"),
          value("1"),           value(wanted)};
}

// Of 10 pixels, 5 windows of 3 with stride 2 and a begin pad of 1 reach the first 10; an end pad of
// 0 remains.
TEST(Gradients, OfAConvolution) {
  const std::string data = "ConvGrad deconv/4x8x5x5_k3x3x3_p1.1.0.0_s2x2_d1x1_g1";
  const std::string filter = "ConvGrad conv_bwd_filter/4x3x10x10_k8x3x3_p1.1.1.1_s2x2_d1x1_g1";
  const std::string bias = "ConvGrad reducesum/4x8x5x5_a0.2.3";
  EXPECT_THAT(problems("convolution_backward", convolution("[True, True, True]")),
              ElementsAre(data, filter, bias));
  EXPECT_THAT(problems("convolution_backward", convolution("[False, True, False]")),
              ElementsAre(filter));
  EXPECT_THAT(problems("convolution_backward", convolution("")), ElementsAre("ConvTransposeGrad "));
}

TEST(Gradients, OfWindows) {
  EXPECT_THAT(
      problems("max_pool2d_with_indices_backward",
               {tensor({4, 8, 5, 5}), tensor({4, 8, 10, 10}), value("[3, 3]"), value("[2, 2]"),
                value("[1, 1]"), value("[1, 1]"), value("False"), tensor({4, 8, 5, 5})}),
      ElementsAre("MaxPoolGrad maxpool_bwd/4x8x10x10_k3x3_p1.1.1.1_s2x2_d1x1"));
  EXPECT_THAT(
      problems("_adaptive_avg_pool2d_backward", {tensor({4, 8, 1, 1}), tensor({4, 8, 7, 7})}),
      ElementsAre("AveragePoolGrad avgpool_bwd/4x8x7x7_k7x7_p0.0.0.0_s1x1_d1x1_exclude"));
}

TEST(Gradients, OfFunctions) {
  const Argument x = tensor({4, 8});
  EXPECT_THAT(problems("threshold_backward", {x, x, value("0")}),
              ElementsAre("ReluGrad relu_bwd/4x8"));
  EXPECT_THAT(problems("gelu_backward", {x, x}), ElementsAre("GeluGrad gelu_bwd/4x8"));
  EXPECT_THAT(problems("hardtanh_backward", {x, x, value("0"), value("6")}),
              ElementsAre("ClipGrad clip_bwd/4x8_a0_b6"));
  EXPECT_THAT(problems("_softmax_backward_data", {x, x, value("-1"), value("6")}),
              ElementsAre("SoftmaxGrad softmax_bwd/4x8_a1"));
}

TEST(Gradients, OfNormalizations) {
  const Argument x = tensor({4, 8, 5, 5});
  const Argument channel = tensor({8});
  EXPECT_THAT(problems("native_batch_norm_backward",
                       {x, x, channel, channel, channel, channel, channel, value("True"),
                        value("1e-05"), value("[True, True, True]")}),
              ElementsAre("BatchNormalizationGrad batchnorm_bwd/4x8x5x5_e1e-05"));
  EXPECT_THAT(problems("cudnn_batch_norm_backward",
                       {x, x, channel, channel, channel, channel, channel, value("0.001"), none}),
              ElementsAre("BatchNormalizationGrad batchnorm_bwd/4x8x5x5_e0.001"));
  const Argument rows = tensor({4, 16, 64});
  const std::vector<Part> parts =
      parts_of({.name = "aten::native_layer_norm_backward",
                .arguments = {rows, rows, value("[64]"), none, none, tensor({64}), tensor({64})}});
  ASSERT_THAT(parts, SizeIs(1));
  EXPECT_EQ(parts[0].problem, "layernorm_bwd/64x64_e1e-05_sb");
  EXPECT_THAT(parts[0].output, ElementsAre(4, 16, 64));
}

TEST(Gradients, BatchNormalizationInTrainingIsAnotherProblem) {
  const Argument x = tensor({4, 8, 5, 5});
  const Argument channel = tensor({8});
  const auto normalized = [&](const char* training) {
    return problems("batch_norm", {x, channel, channel, channel, channel, value(training),
                                   value("0.1"), value("1e-05"), value("True")});
  };
  EXPECT_THAT(normalized("True"),
              ElementsAre("BatchNormalization batchnorm_training/4x8x5x5_e1e-05"));
  EXPECT_THAT(normalized("False"), ElementsAre("BatchNormalization batchnorm/4x8x5x5_e1e-05"));
}

TEST(Attention, IsOneProblemToo) {
  const Argument query = tensor({2, 8, 16, 64});
  const Argument keys = tensor({2, 4, 32, 64});
  const auto whole = [](const std::string& name, std::vector<Argument> arguments) {
    return parts_of({.name = "aten::" + name, .arguments = std::move(arguments)}).front().whole;
  };
  EXPECT_EQ(whole("scaled_dot_product_attention",
                  {query, keys, keys, none, value("0.0"), value("False")}),
            "attention/2x8x16x64_k4x32x64_s0.125");
  EXPECT_EQ(whole("scaled_dot_product_attention",
                  {query, keys, keys, tensor({16, 32}), value("0.0"), value("False")}),
            "attention/2x8x16x64_k4x32x64_s0.125_m1x1x16x32");
  EXPECT_EQ(whole("_scaled_dot_product_flash_attention",
                  {query, query, query, value("0.0"), value("True")}),
            "attention/2x8x16x64_k8x16x64_s0.125_causal");
}

// The arguments of PyTorch 2.11's operators, as its traces list them.
TEST(Attention, AndItsGradientAre) {
  const Argument x = tensor({8, 12, 128, 64});
  const Argument rows = tensor({8, 12, 128});
  const auto whole = [](const std::string& name, std::vector<Argument> arguments) {
    return parts_of({.name = "aten::" + name, .arguments = std::move(arguments)}).front().whole;
  };
  const std::string gradient = "attention_bwd/8x12x128x64_k12x128x64_s0.125";
  EXPECT_EQ(whole("_scaled_dot_product_cudnn_attention_backward",
                  {x, x, x, x, x, tensor({8, 12, 128, 1}), none, none, none, none, none,
                   value("128"), value("128"), value("0.1"), value("True"), value("0.125")}),
            gradient + "_causal");
  EXPECT_EQ(whole("_scaled_dot_product_efficient_attention_backward",
                  {x, x, x, x, tensor({8, 1, 128, 128}), x, rows, none, none, value("0.1"),
                   value("[True, True, True, False]"), value("False"), value("0.125")}),
            gradient + "_m8x1x128x128");
  EXPECT_EQ(whole("_scaled_dot_product_flash_attention_backward",
                  {x, x, x, x, x, rows, none, none, value("128"), value("128"), value("0.1"),
                   value("False"), none, none, value("0.125")}),
            gradient);
}

TEST(Attention, ItsGradientIsFourProductsToo) {
  const Argument x = tensor({2, 8, 16, 64});
  const Argument k = tensor({2, 8, 32, 64});
  const Argument v = tensor({2, 8, 32, 48});
  const Argument result = tensor({2, 8, 16, 48});
  EXPECT_THAT(problems("_scaled_dot_product_flash_attention_backward",
                       {result, x, k, v, result, tensor({2, 8, 16}), none, none, value("16"),
                        value("32"), value("0.0"), value("False"), none, none, value("0.125")}),
              ElementsAre("MatMulGrad gemm/m32_n48_k16_nn_a2x8_b2x8",
                          "MatMulGrad gemm/m16_n32_k48_nn_a2x8_b2x8",
                          "SoftmaxGrad softmax_bwd/2x8x16x32_a3", "MulGrad ", "DivGrad ",
                          "MatMulGrad gemm/m16_n64_k32_nn_a2x8_b2x8",
                          "MatMulGrad gemm/m32_n64_k16_nn_a2x8_b2x8"));
}

TEST(Conversions, HaveProblemsBetweenFp32AndShorterTypes) {
  const auto first = [](const char* from, const char* to) {
    Argument x = tensor({4, 16});
    x.type = from;
    return parts_of({.name = "aten::to", .arguments = {x, value(to), value("False")}})[0];
  };
  EXPECT_EQ(first("float", "15").problem, "narrow/4x16");
  EXPECT_EQ(first("c10::Half", "6").problem, "widen/4x16");
  EXPECT_TRUE(first("float", "15").optional);
  for (const auto& [from, to] : {std::pair{"float", "6"}, std::pair{"float", "7"},
                                 std::pair{"long int", "6"}, std::pair{"float", "cuda:0"}}) {
    EXPECT_EQ(first(from, to).problem, "") << from << " to " << to;
    EXPECT_EQ(first(from, to).op, "Cast");
  }
}

TEST(Functions, HaveProblems) {
  const Argument x = tensor({4, 16, 64});
  EXPECT_THAT(problems("silu", {x})[0], "Swish swish/4x16x64_a1");
  EXPECT_THAT(problems("pow", {x, value("3")}), ElementsAre("Pow pow/4x16x64_a3"));
  EXPECT_THAT(problems("pow", {x, x}), ElementsAre("Pow "));
  EXPECT_THAT(problems("sum", {x, value("[0, -1]"), value("True")}),
              ElementsAre("ReduceSum reducesum/4x16x64_a0.2"));
  EXPECT_THAT(problems("sum", {x}), ElementsAre("ReduceSum reducesum/4x16x64_a0.1.2"));
  EXPECT_THAT(problems("erf", {x}), ElementsAre("Erf erf/4x16x64"));
  EXPECT_THAT(problems("prelu", {tensor({1, 8, 5, 5}), tensor({8})}),
              ElementsAre("PRelu prelu/1x8x5x5_1x8x1x1"));
  EXPECT_THAT(
      problems("layer_norm", {x, value("[64]"), tensor({64}), tensor({64}), value("1e-06")})[0],
      "LayerNormalization layernorm/64x64_e1e-06_sb");
}

}  // namespace
}  // namespace benanza::analysis::kineto
