// Arguments, types and orders in memory that PyTorch's traces tell: they are in the problem, or the
// operator has none and says why.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/profile_match/profile_graph.h"
#include "analysis/profiles/kineto/aten.h"
#include "analysis/tests/trace.h"

namespace benanza::test {
namespace {

using analysis::kineto::Argument;
using analysis::kineto::Op;
using analysis::kineto::parts_of;
using testing::ElementsAre;
using testing::HasSubstr;

Argument floats(const Dims& dims) { return {.dims = dims, .type = "float"}; }
Argument number(const std::string& text) { return {.type = "Scalar", .value = text}; }

std::vector<Part> parts(const std::string& name, std::vector<Argument> arguments) {
  return parts_of(Op{.name = "aten::" + name, .arguments = std::move(arguments)});
}

/// The keys of the parts that are done; the reason in brackets of those without one.
std::vector<std::string> told(const std::string& name, std::vector<Argument> arguments) {
  std::vector<std::string> keys;
  for (const Part& part : parts(name, std::move(arguments))) {
    if (part.optional && !part.done) continue;
    keys.push_back(part.problem.empty() ? '[' + part.reason + ']' : part.problem);
    if (part.bias) keys.back() += "_bias";
    if (part.residual) keys.back() += "_residual";
  }
  return keys;
}

TEST(UnsaidInTraces, AnArgumentThatNobodyReadsIsNamed) {
  const Argument x = floats({4, 64});
  EXPECT_THAT(told("relu", {x}), ElementsAre("relu/4x64"));
  EXPECT_THAT(told("relu", {x, number("7")}), ElementsAre("[argument 2 is 7]"));
  EXPECT_THAT(told("relu", {x, number("False"), {}}), ElementsAre("relu/4x64"));
  EXPECT_THAT(told("relu", {x, floats({3})}), ElementsAre("[argument 2 is a tensor]"));
  // Where the result goes to.
  EXPECT_THAT(told("mm", {floats({4, 8}), floats({8, 2}), floats({4, 2})}),
              ElementsAre("gemm/m4_n2_k8_nn"));
}

TEST(UnsaidInTraces, FunctionsOfOtherNumbersThanTheUsual) {
  const Argument x = floats({4, 64});
  EXPECT_THAT(told("threshold", {x, number("0."), number("0")}), ElementsAre("relu/4x64"));
  EXPECT_THAT(told("threshold", {x, number("0.1"), number("20.")}), ElementsAre("[a threshold]"));
  EXPECT_THAT(told("threshold_backward", {x, x, number("0")}), ElementsAre("relu_bwd/4x64"));
  EXPECT_THAT(told("threshold_backward", {x, x, number("0.5")}), ElementsAre("[]"));
  EXPECT_THAT(told("elu", {x, number("0.5"), number("1"), number("1")}),
              ElementsAre("elu/4x64_a0.5"));
  EXPECT_THAT(told("elu", {x, number("1.67"), number("1.05"), number("1")}),
              ElementsAre("[factors]"));
  EXPECT_THAT(told("softplus", {x, number("1"), number("20")}), ElementsAre("softplus/4x64"));
  EXPECT_THAT(told("softplus", {x, number("3"), number("20")}), ElementsAre("[a beta]"));
  EXPECT_THAT(told("add", {x, x, number("1")}), ElementsAre("add/4x64_4x64"));
  EXPECT_THAT(told("sub", {x, x, number("2")}), ElementsAre("[a factor of 2]"));
  EXPECT_THAT(told("div", {x, x}), ElementsAre("div/4x64_4x64"));
  EXPECT_THAT(told("div", {x, x, {}}), ElementsAre("[a rounded quotient]"));
}

TEST(UnsaidInTraces, FunctionsOfOneTensor) {
  const Argument x = floats({4, 64});
  EXPECT_THAT(told("neg", {x}), ElementsAre("linear/4x64_a-1_b0"));
  EXPECT_THAT(told("reciprocal", {x}), ElementsAre("pow/4x64_a-1"));
  EXPECT_THAT(told("rsqrt", {x}), ElementsAre("pow/4x64_a-0.5"));
  EXPECT_THAT(told("cos", {x}), ElementsAre("cos/4x64"));
}

TEST(UnsaidInTraces, AMeanOverAnotherNumberOfElements) {
  std::vector<Argument> arguments{floats({2, 8, 16, 16}),
                                  number("[2, 2]"),
                                  number("[]"),
                                  number("[0, 0]"),
                                  number("False"),
                                  number("True"),
                                  {}};
  EXPECT_THAT(told("avg_pool2d", arguments),
              ElementsAre("avgpool/2x8x16x16_k2x2_p0.0.0.0_s2x2_d1x1_exclude"));
  arguments.back() = number("3");
  EXPECT_THAT(told("avg_pool2d", arguments), ElementsAre("[a divisor]"));
  arguments.insert(arguments.begin(), floats({2, 8, 8, 8}));
  EXPECT_THAT(told("avg_pool2d_backward", arguments), ElementsAre("[a divisor]"));
}

TEST(UnsaidInTraces, AnAddendIsAVectorOrATensorOrNotRead) {
  const Argument a = floats({4, 64});
  const Argument b = floats({64, 32});
  const auto sum = [&](const Dims& addend, const char* beta) {
    return told("addmm", {floats(addend), a, b, number(beta), number("2")});
  };
  EXPECT_THAT(sum({32}, "1"), ElementsAre("gemm/m4_n32_k64_nn_bias"));
  EXPECT_THAT(sum({4, 32}, "0.5"), ElementsAre("gemm/m4_n32_k64_nn_residual"));
  EXPECT_THAT(sum({4, 32}, "0"), ElementsAre("gemm/m4_n32_k64_nn"));
  EXPECT_THAT(sum({4, 1}, "1"), ElementsAre("[an addend of 4x1]"));
  EXPECT_THAT(
      told("_addmm_activation", {floats({32}), a, b, number("1"), number("1"), number("True")}),
      ElementsAre("gemm/m4_n32_k64_nn_bias", "gelu/4x32"));
  EXPECT_THAT(
      told("_addmm_activation", {floats({32}), a, b, number("1"), number("1"), number("False")}),
      ElementsAre("gemm/m4_n32_k64_nn_bias", "relu/4x32"));
  const Argument x = floats({1, 8, 5, 5});
  EXPECT_THAT(told("cudnn_convolution_add_relu",
                   {x, floats({4, 8, 1, 1}), floats({1, 4, 5, 5}), number("0.5"), floats({4}),
                    number("[1, 1]"), number("[0, 0]"), number("[1, 1]"), number("1")}),
              ElementsAre("conv/1x8x5x5_k4x1x1_p0.0.0.0_s1x1_d1x1_g1_bias", "add/1x4x5x5_1x4x5x5",
                          "relu/1x4x5x5"));
}

TEST(UnsaidInTraces, MasksAndDropoutOfAttention) {
  const Argument x = floats({2, 4, 32, 64});
  const Argument mask{.dims = {32, 32}, .type = "bool"};
  const auto attention = [&](const Argument& masked, const char* dropout) {
    return told("scaled_dot_product_attention",
                {x, x, x, masked, number(dropout), number("False"), {}, number("False")});
  };
  const std::string scores = "gemm/m32_n32_k64_nn_a2x4_b2x4";
  const std::string result = "gemm/m32_n64_k32_nn_a2x4_b2x4";
  EXPECT_THAT(attention({}, "0."), ElementsAre(scores, "softmax/2x4x32x32_a3", result));
  EXPECT_THAT(attention(mask, "0."),
              ElementsAre(scores, "add/2x4x32x32_1x1x32x32", "softmax/2x4x32x32_a3", result));
  EXPECT_THAT(attention({}, "0.1"),
              ElementsAre(scores, "softmax/2x4x32x32_a3", result, "[no library has dropout]"));
  // Heads that share keys: only the one call does them.
  const Argument shared = floats({2, 1, 32, 64});
  const Part product =
      parts("scaled_dot_product_attention", {x, shared, shared, {}, number("0."), number("True")})
          .front();
  EXPECT_EQ(product.whole, "attention/2x4x32x64_k1x32x64_s0.125_causal");
  EXPECT_EQ(product.precision, Precision::fp32);
  // Queries of 8 bits, whose scales stand before the dropout.
  const Argument scale = floats({1});
  EXPECT_THAT(parts("_scaled_dot_product_flash_attention",
                    {x, x, x, scale, scale, scale, number("0."), number("True"), number("False")})
                  .front()
                  .whole,
              "");
}

TEST(UnsaidInTraces, TypesWithoutAKey) {
  Argument x = floats({4, 64});
  EXPECT_EQ(parts("relu", {x}).front().precision, Precision::fp32);
  for (const char* const type :
       {"double", "long int", "c10::complex<float>", "bool", "c10::Float8_e4m3fn", "c10::qint8"}) {
    x.type = type;
    EXPECT_THAT(told("mm", {x, {.dims = {64, 4}, .type = type}}),
                ElementsAre('[' + ("tensors of " + std::string(type)) + ']'));
  }
  x.type = "c10::BFloat16";
  EXPECT_THAT(told("mm", {x, floats({64, 4})}),
              ElementsAre("[tensors of c10::BFloat16 and float]"));
  EXPECT_THAT(told("add", {x, {.dims = {4, 64}, .type = "long int"}, number("1")}),
              ElementsAre("[tensors of c10::BFloat16 and long int]"));
  EXPECT_EQ(parts("layer_norm", {x, number("[64]"), floats({64}), floats({64}), number("1e-5")})
                .front()
                .precision,
            Precision::bf16);
}

// The residual of a network under autocast.
TEST(UnsaidInTraces, AShorterOperandIsWidened) {
  const Argument half{.dims = {8, 64}, .type = "c10::Half"};
  for (const bool is_first : {false, true}) {
    const Argument single = floats({8, 64});
    const std::vector<Part> made =
        is_first ? parts("add", {half, single, number("1")}) : parts("add_", {single, half});
    ASSERT_EQ(made.size(), 2);
    EXPECT_EQ(made[0].problem, "widen/8x64");
    EXPECT_EQ(made[0].precision, Precision::fp16);
    EXPECT_TRUE(made[0].done);
    EXPECT_EQ(made[1].problem, "add/8x64_8x64");
    EXPECT_EQ(made[1].precision, Precision::fp32);
  }
}

TEST(UnsaidInTraces, ResultsOfAnotherTypeAreConverted) {
  Argument x = floats({4, 64});
  EXPECT_THAT(told("softmax", {x, number("1"), number("6")}), ElementsAre("softmax/4x64_a1"));
  EXPECT_THAT(told("softmax", {x, number("1"), number("7")}),
              ElementsAre("[]", "[a result of another type]"));
  x.type = "c10::Half";
  const std::vector<Part> made = parts("softmax", {x, number("1"), number("6")});
  ASSERT_EQ(made.size(), 2);
  EXPECT_EQ(made[0].problem, "widen/4x64");
  EXPECT_EQ(made[0].precision, Precision::fp16);
  EXPECT_EQ(made[1].problem, "softmax/4x64_a1");
  EXPECT_EQ(made[1].precision, Precision::fp32);
  EXPECT_THAT(told("_softmax", {x, number("1"), number("True")}),
              ElementsAre("widen/4x64", "softmax/4x64_a1"));
  EXPECT_THAT(told("sum", {x, number("[]"), number("False"), number("6")}),
              ElementsAre("widen/4x64", "reducesum/4x64_a0.1"));
  EXPECT_THAT(
      told("_softmax_backward_data", {floats({4, 64}), floats({4, 64}), number("1"), number("5")}),
      ElementsAre("[a conversion of types]"));
}

// At inference, the gradient takes the statistics as constants: no library has that call.
TEST(UnsaidInTraces, TheGradientOfABatchNormalizationAtInference) {
  const Argument x = floats({4, 8, 5, 5});
  const Argument row = floats({8});
  const auto gradient = [&](const char* training) {
    return told("native_batch_norm_backward", {x, x, row, row, row, row, row, number(training),
                                               number("1e-5"), number("[True, True, True]")});
  };
  EXPECT_THAT(gradient("True"), ElementsAre("batchnorm_bwd/4x8x5x5_e1e-05"));
  EXPECT_THAT(gradient("False"), ElementsAre("[]"));
}

/// A trace of one product with these strides.
std::string product_of(const std::string& name, const std::vector<std::vector<int>>& dims,
                       const std::vector<std::vector<int>>& strides) {
  nlohmann::json trace = TraceWriter().op(name, dims, {}, {{"gemm", 10}}).json();
  for (auto& event : trace["traceEvents"]) {
    if (event["cat"] == "cpu_op") event["args"]["Input Strides"] = strides;
  }
  const Folder folder;
  return read_profile(folder.write("trace.json", trace.dump())).nodes.front().parts.front().problem;
}

TEST(UnsaidInTraces, MatricesAsTheyLieInMemory) {
  EXPECT_EQ(product_of("aten::mm", {{4, 64}, {64, 32}}, {{64, 1}, {32, 1}}), "gemm/m4_n32_k64_nn");
  EXPECT_EQ(product_of("aten::mm", {{4, 64}, {64, 32}}, {{64, 1}, {1, 64}}), "gemm/m4_n32_k64_nt");
  EXPECT_EQ(product_of("aten::mm", {{4, 64}, {64, 32}}, {{1, 4}, {32, 1}}), "gemm/m4_n32_k64_tn");
  EXPECT_EQ(product_of("aten::mm", {{4, 1}, {1, 32}}, {{1, 1}, {32, 1}}), "gemm/m4_n32_k1_nn");
  EXPECT_EQ(product_of("aten::bmm", {{3, 8, 64}, {3, 64, 16}}, {{512, 64, 1}, {0, 1, 64}}),
            "gemm/m8_n16_k64_nt_a3_b1");
  EXPECT_EQ(product_of("aten::matmul", {{2, 3, 8, 64}, {2, 3, 64, 16}},
                       {{1536, 512, 64, 1}, {1024, 0, 16, 1}}),
            "gemm/m8_n16_k64_nn_a2x3_b2x1");
  // Without strides, as older versions wrote traces.
  EXPECT_EQ(product_of("aten::mm", {{4, 64}, {64, 32}}, {}), "gemm/m4_n32_k64_nn");
}

TEST(UnsaidInTraces, AutocastCallsTheOperatorAgain) {
  nlohmann::json trace = TraceWriter()
                             .op("aten::linear", {{4, 64}, {32, 64}}, {}, {})
                             .type("c10::Half")
                             .op("aten::linear", {{4, 64}, {32, 64}}, {}, {{"gemm", 10}})
                             .json();
  // The second call is within the first.
  trace["traceEvents"][0]["dur"] = 400;
  const Folder folder;
  const Profile profile = read_profile(folder.write("trace.json", trace.dump()));
  ASSERT_EQ(profile.nodes.size(), 1);
  EXPECT_EQ(profile.nodes[0].parts[0].precision, Precision::fp16);
  EXPECT_EQ(graph_of_profile(profile, "m").graph.precision, "fp16");
}

TEST(UnsaidInTraces, AGraphOfOnePrecisionStatesIt) {
  TraceWriter trace;
  trace.type("c10::BFloat16").relu({2, 8}).relu({4, 8});
  const Graph one = graph_of_profile(profile_of(trace), "m").graph;
  EXPECT_EQ(one.precision, "bf16");
  EXPECT_EQ(one.layers[0].precision, "");
  trace.type("float").relu({4, 8});
  const Graph mixed = graph_of_profile(profile_of(trace), "m").graph;
  EXPECT_EQ(mixed.precision, "");
  EXPECT_THAT(std::vector({mixed.layers[0].precision, mixed.layers[2].precision}),
              ElementsAre("bf16", "fp32"));
}

TEST(UnsaidInTraces, ASuiteNamesTheReason) {
  TraceWriter trace;
  trace.relu({2, 8}).op("aten::elu", {{2, 8}}, {"1.67", "1.05", "1"}, {{"elu", 10}});
  const ProfileGraph made = graph_of_profile(profile_of(trace), "m");
  EXPECT_EQ(made.graph.layers[1].reason, "aten::elu: factors");
  EXPECT_EQ(made.unknown.begin()->first, "aten::elu (factors)");
}

}  // namespace
}  // namespace benanza::test
