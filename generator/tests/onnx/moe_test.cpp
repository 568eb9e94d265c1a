// Mixtures of experts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "generator/tests/onnx/stored.h"

namespace benanza::onnx {
namespace {

using ::onnx::TensorProto;
using testing::ElementsAre;
using testing::HasSubstr;

/// `tokens` of 16 elements, two of 4 experts each, which have 32 inner elements.
Model mixture(std::int64_t tokens, Attributes attributes, std::int64_t fusion = 1) {
  Model model(17);
  model.domain("com.microsoft", 1);
  model.input("x", {tokens, 16}).input("router", {tokens, 4});
  model.weights("w1", {4, fusion * 32, 16}).weights("b1", {4, fusion * 32});
  model.weights("w2", {4, 16, 32}).weights("b2", {4, 16});
  add_microsoft(model, "MoE", {"x", "router", "w1", "b1", "w2", "b2"}, {"y"}, attributes);
  return model.output("y");
}

TEST(MixtureOfExperts, OneTokenHasAsManyExpertsAsItChooses) {
  const LoweredGraph graph = mixture(1, {{"k", 2}, {"activation_type", "relu"}}).import();
  const LoweredLayer& layer = graph.layers[0];
  EXPECT_EQ(layer.cost, Cost::measured) << layer.reason;
  // The router, the choice, two products each; the sum of both results times their factors.
  EXPECT_THAT(layer.problems,
              ElementsAre("softmax/1x4_a1", "copy/2_f1_t1", "grouped_gemm/g2_m1_n32_k16_nt",
                          "add/2x1x32_2x1x32_w", "relu/2x32", "grouped_gemm/g2_m1_n16_k32_nt",
                          "add/2x1x16_2x1x16_w", "gemm/m1_n16_k2_nn"));
  // Half of the experts, with their biases.
  EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = 2 * (2 * 32 * 16 + 32 + 16)}));
}

// Seven tokens choose 14 times: three and a half of the four experts each.
TEST(MixtureOfExperts, TokensAreSpreadOverTheExperts) {
  const LoweredLayer layer =
      mixture(7, {{"k", 2}, {"activation_type", "silu"}, {"normalize_routing_weights", 1}}).layer();
  EXPECT_THAT(layer.problems,
              ElementsAre("softmax/7x4_a1", "copy/14_f1_t1", "reducesum/7x2_a1", "div/7x2_7x1",
                          "copy/224_f1_t1", "grouped_gemm/g2x2_m4x3_n32_k16_nt", "add/14x32_1x32_w",
                          "swish/14x32_a1", "grouped_gemm/g2x2_m4x3_n16_k32_nt", "add/14x16_1x16_w",
                          "copy/224_f1_t1", "gemm/m1_n16_k2_nn_a7_b7"));
  EXPECT_THAT(layer.inner_moves, ElementsAre(1, 4, 10)) << "the choice, and both permutations";
  EXPECT_THAT(layer.reason, HasSubstr("spread evenly over 4 experts"));
}

// Which experts work, nobody says: all tokens may choose the same two.
TEST(MixtureOfExperts, NoMoreExpertsAreReadForSureThanATokenChooses) {
  const LoweredGraph graph = mixture(7, {{"k", 2}, {"activation_type", "relu"}}).import();
  EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = 2 * (2 * 32 * 16 + 32 + 16)}));
}

/// Seven tokens, two of four experts, whose weights a DequantizeLinear makes of 4 bits: a scale for
/// so many along `axis`.
LoweredGraph converted_mixture(std::int64_t axis, std::int64_t block, std::int64_t chosen = 2) {
  Model model(21);
  model.domain("com.microsoft", 1).input("x", {7, 16}).input("router", {7, 4});
  constexpr int int4 = 22;
  const auto scales = [&](Dims dims) {
    dims[static_cast<std::size_t>(axis)] /= block;
    return dims;
  };
  stored(model, "q1", {4, 32, 16}, int4).weights("s1", scales({4, 32, 16}));
  stored(model, "q2", {4, 16, 32}, int4).weights("s2", scales({4, 16, 32}));
  for (const std::string place : {"1", "2"}) {
    model.node("DequantizeLinear", {"q" + place, "s" + place}, {"w" + place},
               {{"axis", axis}, {"block_size", block}});
  }
  add_microsoft(model, "MoE", {"x", "router", "w1", "", "w2"}, {"y"},
                {{"k", chosen}, {"activation_type", "relu"}});
  return model.output("y").import();
}

// Four bits and a scale for each 16 of a sum.
TEST(MixtureOfExperts, ExpertsThatAreConvertedStayPacked) {
  const LoweredGraph graph = converted_mixture(2, 16);
  EXPECT_THAT(graph.layers.back().problems,
              testing::IsSupersetOf({"grouped_gemm/g2x2_m4x3_n32_k16_nt_packed.int4.b16",
                                     "grouped_gemm/g2x2_m4x3_n16_k32_nt_packed.int4.b16"}));
  EXPECT_EQ(graph.layers.back().reason, "its tokens are taken to be spread evenly over 4 experts");
  EXPECT_EQ(graph.compulsory.weights,
            (Traffic{.elements = 2 * (32 + 16 * 2), .bytes = 2 * 2 * 32 * 16 / 2}));
}

// Seven tokens choose one of four experts each, all of whose weights have one scale.
TEST(MixtureOfExperts, ExpertsMayHaveOneScaleEach) {
  Model model(13);
  model.domain("com.microsoft", 1).input("x", {7, 16}).input("router", {7, 4});
  for (const std::string place : {"1", "2"}) {
    const bool first = place == "1";
    stored(model, "q" + place, {4, first ? 32 : 16, first ? 16 : 32}, TensorProto::INT8);
    model.weights("s" + place, {4});
    model.node("DequantizeLinear", {"q" + place, "s" + place}, {"w" + place}, {{"axis", 0}});
  }
  add_microsoft(model, "MoE", {"x", "router", "w1", "", "w2"}, {"y"}, {{"k", 1}});
  EXPECT_THAT(model.output("y").import().layers.back().problems,
              testing::IsSupersetOf({"grouped_gemm/g3x1_m2x1_n32_k16_nt_packed.int8",
                                     "grouped_gemm/g3x1_m2x1_n16_k32_nt_packed.int8"}));
}

// The products with scales for blocks of columns are those of floats, and say so.
TEST(MixtureOfExperts, ExpertsThatNoProductTakesAreNamed) {
  const LoweredLayer layer = converted_mixture(1, 16).layers.back();
  EXPECT_THAT(layer.problems, testing::Contains("grouped_gemm/g2x2_m4x3_n32_k16_nt"));
  EXPECT_EQ(layer.reason,
            "its tokens are taken to be spread evenly over 4 experts; its weights, stored as int4, "
            "are taken to be floats once the model is loaded");
}

// Six tokens choose 12 times; loads of 3 to 1 are 9 and 3 rows, but an expert gets 6 at most.
TEST(MixtureOfExperts, TokensChooseAsTheyAreSaidTo) {
  const auto keys = [](const std::string& load) {
    Binding binding{.batch = {}, .dims = {}};
    binding.expert_load = load;
    const LoweredGraph graph = mixture(6, {{"k", 2}, {"activation_type", "relu"}}).import(binding);
    EXPECT_EQ(graph.metadata.at("expert_load"), load);
    EXPECT_THAT(graph.layers[0].reason, HasSubstr("by " + load));
    const std::int64_t busy = load == "0,3,1,0" ? 2 : 4;
    EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = busy * (2 * 32 * 16 + 32 + 16)}));
    return graph.layers[0].problems;
  };
  EXPECT_THAT(keys("0,3,1,0"), testing::Contains("grouped_gemm/g2_m6_n32_k16_nt"));
  EXPECT_THAT(keys("1,0.5,1.5,3"), testing::Contains("grouped_gemm/g1x1x1x1_m6x3x2x1_n32_k16_nt"));
  EXPECT_THROW(keys("1,2,3"), Error);
}

TEST(MixtureOfExperts, ASparseMixerChoosesOneAtATime) {
  const LoweredLayer layer =
      mixture(1, {{"k", 2}, {"activation_type", "silu"}, {"use_sparse_mixer", 1}}).layer();
  EXPECT_THAT(std::vector(layer.problems.begin(), layer.problems.begin() + 3),
              ElementsAre("softmax/1x4_a1", "softmax/1x4_a1", "copy/2_f1_t1"));
  EXPECT_THAT(layer.reason, HasSubstr("sparse mixer"));
}

// As Mixtral is exported: silu(x w1) times x w3.
TEST(MixtureOfExperts, AThirdProductIsAGate) {
  Model model(17);
  model.domain("com.microsoft", 1);
  model.input("x", {1, 16}).input("router", {1, 4});
  model.weights("w1", {4, 32, 16}).weights("w2", {4, 16, 32}).weights("w3", {4, 32, 16});
  add_microsoft(model, "MoE", {"x", "router", "w1", "", "w2", "", "w3"}, {"y"},
                {{"k", 1}, {"activation_type", "silu"}});
  const LoweredGraph graph = model.output("y").import();
  EXPECT_THAT(
      graph.layers[0].problems,
      ElementsAre("softmax/1x4_a1", "copy/1_f1_t1", "gemm/m1_n32_k16_nt_w", "gemm/m1_n32_k16_nt_w",
                  "swish/1x32_a1", "mul/1x32_1x32", "gemm/m1_n16_k32_nt_w", "gemm/m1_n16_k1_nn"))
      << graph.layers[0].reason;
  EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = 3 * 32 * 16}));
}

TEST(MixtureOfExperts, GatesAreEveryOtherColumnOrHalves) {
  const auto gated = [](std::int64_t fusion) {
    return mixture(1,
                   {{"k", 1},
                    {"activation_type", "swiglu"},
                    {"swiglu_fusion", fusion},
                    {"activation_alpha", 1.5F},
                    {"activation_beta", 1.0F},
                    {"swiglu_limit", 7.0F}},
                   2)
        .layer()
        .problems;
  };
  EXPECT_THAT(
      gated(1),
      ElementsAre("softmax/1x4_a1", "copy/1_f1_t1", "gemm/m1_n64_k16_nt_w", "add/1x1x64_1x1x64_w",
                  "copy/32_f2_t1", "copy/32_f2_t1", "clip/1x32_a-3.4028235e+38_b7",
                  "clip/1x32_a-7_b7", "swish/1x32_a1.5", "linear/1x32_a1_b1", "mul/1x32_1x32",
                  "gemm/m1_n16_k32_nt_w", "add/1x1x16_1x1x16_w", "gemm/m1_n16_k1_nn"));
  EXPECT_EQ(gated(2)[4], gated(1)[6]) << "halves of one row are read where they are";
  EXPECT_EQ(gated(2).size(), gated(1).size() - 2);
}

/// One token of 64 elements, as gpt-oss has it: 4 bits in blocks of 32, two of 8 experts.
Model packed_mixture(Attributes attributes, bool zero_points = false, std::int64_t tokens = 1) {
  Model model(17);
  model.domain("com.microsoft", 1);
  model.input("x", {1, tokens, 64}).input("router", {tokens, 8});
  stored(model, "w1", {8, 64, 32}, TensorProto::UINT8);
  stored(model, "s1", {8, 64, 2}, TensorProto::FLOAT);
  stored(model, "w2", {8, 64, 16}, TensorProto::UINT8);
  stored(model, "s2", {8, 64, 1}, TensorProto::FLOAT);
  std::vector<std::string> inputs{"x", "router", "w1", "s1", "", "w2", "s2"};
  if (zero_points) {
    stored(model, "z1", {8, 64, 1}, TensorProto::UINT8);
    stored(model, "z2", {8, 64, 1}, TensorProto::UINT8);
    for (const char* name : {"", "", "", "", "z1", "z2"}) inputs.emplace_back(name);
  }
  add_microsoft(model, "QMoE", inputs, {"y"}, attributes);
  return model.output("y");
}

TEST(MixtureOfExperts, PackedExpertsAreOneProductWithPackedWeights) {
  const auto problems = [](bool zero_points) {
    return packed_mixture({{"k", 2},
                           {"activation_type", "swiglu"},
                           {"swiglu_fusion", 1},
                           {"expert_weight_bits", 4},
                           {"block_size", 32}},
                          zero_points)
        .layer()
        .problems;
  };
  EXPECT_THAT(
      problems(false),
      ElementsAre("softmax/1x8_a1", "copy/2_f1_t1", "grouped_gemm/g2_m1_n64_k64_nt_packed.int4.b32",
                  "copy/64_f2_t1", "copy/64_f2_t1", "swish/2x32_a1", "mul/2x32_2x32",
                  "grouped_gemm/g2_m1_n64_k32_nt_packed.int4.b32", "gemm/m1_n64_k2_nn"));
  EXPECT_EQ(problems(true)[2], "grouped_gemm/g2_m1_n64_k64_nt_packed.uint4.b32.z");
}

// The layout of onnxruntime-genai for GPUs: a row for each element of a sum.
TEST(MixtureOfExperts, PackedExpertsMayBeStoredTheOtherWayRound) {
  Model model = packed_mixture({{"k", 2}, {"activation_type", "relu"}, {"block_size", 32}});
  stored(model, "v1", {8, 64, 16}, TensorProto::UINT8);
  stored(model, "v2", {8, 32, 32}, TensorProto::UINT8);
  model.last().set_input(2, "v1");
  model.last().set_input(5, "v2");
  EXPECT_THAT(model.layer().problems,
              ElementsAre("softmax/1x8_a1", "copy/2_f1_t1",
                          "grouped_gemm/g2_m1_n32_k64_nt_packed.int4.b32", "relu/2x32",
                          "grouped_gemm/g2_m1_n64_k32_nt_packed.int4.b32", "gemm/m1_n64_k2_nn"));
}

// Three tokens choose six times: two experts three rows each, or one all three and three one each.
// An expert has 64 x 32 + 64 x 16 bytes of weights, 64 * 2 + 64 scales, 64 + 64 bytes of zero
// points.
TEST(MixtureOfExperts, PackedExpertsHaveTheirLoad) {
  const auto lowered = [](const std::string& load, std::int64_t busy) {
    Binding binding{.batch = {}, .dims = {}};
    binding.expert_load = load;
    Model model = packed_mixture(
        {{"k", 2}, {"block_size", 32}, {"swiglu_fusion", 1}, {"activation_type", "swiglu"}}, true,
        3);
    const LoweredGraph graph = model.import(binding);
    EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = busy * (64 * 2 + 64),
                                                 .bytes = busy * (64 * 32 + 64 * 16 + 64 + 64)}))
        << load;
    return graph.layers[0].problems;
  };
  EXPECT_THAT(lowered("0,0,1,0,0,1,0,0", 2),
              testing::Contains("grouped_gemm/g2_m3_n64_k64_nt_packed.uint4.b32.z"));
  EXPECT_THAT(lowered("1,1,9,1,0,0,0,0", 4),
              testing::Contains("grouped_gemm/g1x3_m3x1_n64_k32_nt_packed.uint4.b32.z"));
}

// 8 bits, a scale for each row of a matrix: 2 of 8 experts of 64 x 64 and 64 x 32 bytes.
TEST(MixtureOfExperts, ExpertsOfBytesHaveAScaleForEachColumn) {
  Model model(17);
  model.domain("com.microsoft", 1);
  model.input("x", {1, 1, 64}).input("router", {1, 8});
  stored(model, "w1", {8, 32, 64}, TensorProto::UINT8);
  stored(model, "s1", {8, 32}, TensorProto::FLOAT);
  stored(model, "w2", {8, 64, 32}, TensorProto::UINT8);
  stored(model, "s2", {8, 64}, TensorProto::FLOAT);
  add_microsoft(model, "QMoE", {"x", "router", "w1", "s1", "", "w2", "s2"}, {"y"},
                {{"k", 2}, {"activation_type", "relu"}, {"expert_weight_bits", 8}});
  const LoweredGraph graph = model.output("y").import();
  EXPECT_THAT(
      graph.layers[0].problems,
      ElementsAre("softmax/1x8_a1", "copy/2_f1_t1", "grouped_gemm/g2_m1_n32_k64_nt_packed.int8.c",
                  "relu/2x32", "grouped_gemm/g2_m1_n64_k32_nt_packed.int8.c", "gemm/m1_n64_k2_nn"));
  EXPECT_EQ(graph.compulsory.weights,
            (Traffic{.elements = 2 * (32 + 64), .bytes = 2 * (32 * 64 + 64 * 32)}));
  EXPECT_EQ(graph.parameters, 8 * (32 * 64 + 64 * 32));
}

TEST(MixtureOfExperts, ATokenReadsItsExpertsAsTheyAreStored) {
  const LoweredGraph graph =
      packed_mixture(
          {{"k", 2}, {"activation_type", "swiglu"}, {"swiglu_fusion", 1}, {"block_size", 32}})
          .import();
  EXPECT_EQ(graph.compulsory.weights,
            (Traffic{.elements = 2 * (64 * 2 + 64), .bytes = 2 * (64 * 32 + 64 * 16)}));
}

TEST(MixtureOfExperts, ScalesAreNoParameters) {
  const LoweredGraph graph = packed_mixture({{"k", 2}, {"block_size", 32}}, true).import();
  // Two numbers in a byte.
  EXPECT_EQ(graph.parameters, 2 * 8 * (64 * 32 + 64 * 16));
}

TEST(MixtureOfExperts, WhatIsNamedReadsItsExpertsAlone) {
  const LoweredGraph graph = packed_mixture({{"k", 2},
                                             {"activation_type", "swiglu"},
                                             {"swiglu_fusion", 1},
                                             {"expert_weight_bits", 4},
                                             {"block_size", 32},
                                             {"newest", 1}})
                                 .import();
  const LoweredLayer& layer = graph.layers[0];
  EXPECT_THAT(layer.reason, HasSubstr("newest"));
  // x and y, the router; of two experts weights and scales.
  EXPECT_EQ(layer.bytes, (2 * 64 + 8) * 4 + 2 * (64 * 32 + 64 * 16) + 2 * (64 * 2 + 64) * 4);
  EXPECT_EQ(graph.compulsory.weights.bytes, 2 * (64 * 32 + 64 * 16));
}

/// `tokens` of 256 elements, two of four experts each, of 8-bit floats: gate and up as one product
/// of 2 x 128 columns. `converts`: the data, too.
LoweredGraph mixture_of_fp8(std::int64_t tokens, std::int64_t block, bool converts) {
  Model model(17);
  model.domain("com.microsoft", 1);
  model.input("x", {tokens, 256}).input("router", {tokens, 4}).scalar("s", 0.1F);
  stored(model, "w1", {4, 256, 256}, 17);
  stored(model, "w2", {4, 256, 128}, 17);
  if (block > 0) {
    stored(model, "s1", {4, 2, 2}, TensorProto::FLOAT);
    stored(model, "s2", {4, 2, 1}, TensorProto::FLOAT);
  }
  stored(model, "g", {4}, TensorProto::FLOAT);
  std::vector<std::string> inputs(converts ? 19 : 17);
  inputs[0] = "x";
  inputs[1] = "router";
  inputs[2] = "w1";
  inputs[5] = "w2";
  (block > 0 ? inputs[3] : inputs[15]) = block > 0 ? "s1" : "g";
  (block > 0 ? inputs[6] : inputs[16]) = block > 0 ? "s2" : "g";
  if (converts) inputs[17] = inputs[18] = "s";
  add_microsoft(model, "QMoE", inputs, {"y"},
                {{"k", 2},
                 {"quant_type", "fp8"},
                 {"block_size", block},
                 {"activation_type", "swiglu"},
                 {"swiglu_fusion", 2}});
  return model.output("y").import();
}

TEST(MixtureOfExperts, DataMayBeConvertedTo8BitFloatsForTheProducts) {
  const LoweredGraph graph = mixture_of_fp8(2, 128, true);
  const LoweredLayer& layer = graph.layers[0];
  EXPECT_EQ(layer.precision, "fp8") << layer.reason;
  EXPECT_THAT(
      layer.problems,
      ElementsAre("softmax/2x4_a1", "copy/4_f1_t1", "quantize/2x256_fp8", "copy/1024_f1_t1",
                  "grouped_gemm/g4_m1_n256_k256_nt_packed.fp8.b128", "copy/4x128_f256.1_t128.1",
                  "copy/4x128_f256.1_t128.1", "swish/4x128_a1", "mul/4x128_4x128",
                  "quantize/4x128_fp8", "grouped_gemm/g4_m1_n256_k128_nt_packed.fp8.b128",
                  "copy/1024_f1_t1", "gemm/m1_n256_k2_nn_a2_b2"));
}

// With one scale for all weights of an expert, a product of 8-bit floats takes them as they are.
TEST(MixtureOfExperts, ExpertsOf8BitFloatsWithAScaleEach) {
  const LoweredLayer converted = mixture_of_fp8(2, 0, true).layers[0];
  EXPECT_EQ(converted.precision, "fp8") << converted.reason;
  EXPECT_EQ(converted.problems[4], "grouped_gemm/g4_m1_n256_k256_nt");
  const LoweredLayer floats = mixture_of_fp8(2, 0, false).layers[0];
  EXPECT_TRUE(floats.precision.empty());
  EXPECT_EQ(floats.problems[3], "grouped_gemm/g4_m1_n256_k256_nt_packed.fp8");
  EXPECT_EQ(mixture_of_fp8(2, 128, false).layers[0].problems[3],
            "grouped_gemm/g4_m1_n256_k256_nt_packed.fp8.b128");
}

TEST(MixtureOfExperts, TypesWithoutAProductAreNamed) {
  const auto reason = [](Attributes attributes) {
    return packed_mixture(attributes).layer().reason;
  };
  EXPECT_THAT(reason({{"k", 2}, {"expert_weight_bits", 3}}), HasSubstr("weights of 3 bits"));
  EXPECT_THAT(reason({{"k", 2}, {"quant_type", "wfp4afp8"}}), HasSubstr("wfp4afp8"));
  EXPECT_THAT(reason({{"k", 2}, {"activation_type", "relu"}}), HasSubstr("experts of 8x64x32"));
  EXPECT_THAT(reason({{"k", 2},
                      {"activation_type", "swiglu"},
                      {"swiglu_fusion", 1},
                      {"block_size", 32},
                      {"newest", 1}}),
              HasSubstr("newest"));
}

}  // namespace
}  // namespace benanza::onnx
