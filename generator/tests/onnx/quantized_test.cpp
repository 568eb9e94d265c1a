// Files as they are deployed: types of stored tensors, quantized operators, packed weights.
#include <gmock/gmock.h>

#include "generator/tests/onnx/stored.h"

namespace benanza::onnx {
namespace {

using ::onnx::TensorProto;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int uint4 = 21;
constexpr int int4 = 22;

/// x -> Q -> DQ -> Conv with int8 weights and a bias -> Relu -> Q -> DQ -> y.
Model quantized_conv(bool symmetric = true) {
  Model model(13);
  model.input("x", {1, 8, 4, 4}).scalar("s", 0.1F);
  stored(model, "w", {16, 8, 1, 1}, TensorProto::INT8);
  stored(model, "ws", {16}, TensorProto::FLOAT);
  stored(model, "b", {16}, TensorProto::INT32);
  if (!symmetric) stored(model, "wz", {16}, TensorProto::INT8);
  model.node("QuantizeLinear", {"x", "s"}, {"xq"}).node("DequantizeLinear", {"xq", "s"}, {"xd"});
  std::vector<std::string> weights{"w", "ws"};
  if (!symmetric) weights.emplace_back("wz");
  model.node("DequantizeLinear", weights, {"wd"}, {{"axis", 0}});
  model.node("DequantizeLinear", {"b", "ws"}, {"bd"}, {{"axis", 0}});
  model.node("Conv", {"xd", "wd", "bd"}, {"c"}).node("Relu", {"c"}, {"r"});
  model.node("QuantizeLinear", {"r", "s"}, {"yq"}).node("DequantizeLinear", {"yq", "s"}, {"y"});
  return model.output("y");
}

TEST(Quantized, AConvolutionBetweenConversionsIsOneCallOfBytes) {
  const LoweredGraph graph = quantized_conv().import();
  const LoweredLayer& conv = named(graph, "c");
  EXPECT_EQ(conv.precision, "int8");
  EXPECT_THAT(conv.problems,
              ElementsAre("conv/1x8x4x4_k16x1x1_p0.0.0.0_s1x1_d1x1_g1_u8_bias_relu"));
  for (const char* const free : {"xd", "r", "yq"}) EXPECT_EQ(named(graph, free).cost, Cost::free);
  // The model's input and output are floats.
  EXPECT_THAT(named(graph, "xq").problems, ElementsAre("quantize/1x8x4x4"));
  EXPECT_THAT(named(graph, "y").problems, ElementsAre("dequantize/1x16x4x4"));
  EXPECT_TRUE(named(graph, "y").precision.empty());
  // Weights of a byte and 16 scales; biases can be folded.
  EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = 16, .bytes = 128}));
}

TEST(Quantized, OfFp8OnlyProductsOfE4m3AreCallsOfTheirOwn) {
  const auto precision = [](int type) {
    Model model(21);
    model.input("a", {4, 16}, type).scalar("s", 0.1F);
    stored(model, "w", {16, 8}, type);
    model.node("DequantizeLinear", {"a", "s"}, {"ad"}).node("DequantizeLinear", {"w", "s"}, {"wd"});
    return named(model.node("MatMul", {"ad", "wd"}, {"y"}).output("y").import(), "y").precision;
  };
  constexpr int e4m3 = 17;
  constexpr int e5m2 = 19;
  EXPECT_EQ(precision(e4m3), "fp8");
  EXPECT_EQ(precision(e5m2), "");
}

TEST(Quantized, WeightsWithZeroPointsTakeSumsOfTheData) {
  const LoweredGraph graph = quantized_conv(false).import();
  EXPECT_EQ(named(graph, "c").precision, "int8");
  EXPECT_THAT(named(graph, "c").problems,
              ElementsAre("conv/1x8x4x4_k16x1x1_p0.0.0.0_s1x1_d1x1_g1_u8_bias",
                          "conv/1x8x4x4_k1x1x1_p0.0.0.0_s1x1_d1x1_g1_u8", "sub/1x16x4x4_1x1x4x4"));
  EXPECT_EQ(named(graph, "xd").cost, Cost::free);
  // Relu works on floats.
  EXPECT_THAT(named(graph, "r").problems, ElementsAre("relu/1x16x4x4"));
  EXPECT_GE(graph.compulsory.weights.bytes, 128);
}

TEST(Quantized, TwoDequantizedTensorsTakeSumsForTheirZeroPoints) {
  const auto problems = [](int point) {
    Model model(13);
    model.input("a", {12, 16, 8}, TensorProto::INT8).input("b", {12, 8, 32}, TensorProto::INT8);
    model.scalar("s", 0.1F);
    auto& zero = *model.graph().add_initializer();
    zero.set_name("z");
    zero.set_data_type(TensorProto::INT8);
    zero.add_int32_data(point);
    model.node("DequantizeLinear", {"a", "s"}, {"af"});
    model.node("DequantizeLinear", {"b", "s", "z"}, {"bf"}).node("MatMul", {"af", "bf"}, {"m"});
    model.node("QuantizeLinear", {"m", "s"}, {"y"});
    const LoweredGraph graph = model.output("y").import();
    EXPECT_EQ(named(graph, "m").precision, "int8");
    return named(graph, "m").problems;
  };
  EXPECT_THAT(problems(0), ElementsAre("gemm/m16_n32_k8_nn_a12_b12"));
  EXPECT_THAT(problems(3), ElementsAre("gemm/m16_n32_k8_nn_a12_b12", "gemm/m16_n1_k8_nn_a12_b1_w",
                                       "sub/12x16x32_12x16x1"));
}

TEST(Quantized, WhatBytesKeepStaysInBytes) {
  Model model(13);
  model.input("x", {1, 8, 4, 4}, TensorProto::UINT8).scalar("s", 0.1F);
  model.node("DequantizeLinear", {"x", "s"}, {"d"});
  model.node("MaxPool", {"d"}, {"p"}, {{"kernel_shape", Dims{2, 2}}});
  model.node("QuantizeLinear", {"p", "s"}, {"q"}).node("DequantizeLinear", {"q", "s"}, {"e"});
  model.node("Add", {"e", "e"}, {"a"}).node("QuantizeLinear", {"a", "s"}, {"b"});
  model.node("DequantizeLinear", {"b", "s"}, {"f"}).node("Sigmoid", {"f"}, {"g"});
  model.node("QuantizeLinear", {"g", "s"}, {"y"});
  const LoweredGraph graph = model.output("y").import();
  EXPECT_EQ(named(graph, "p").precision, "int8");
  EXPECT_EQ(named(graph, "a").precision, "int8");
  EXPECT_EQ(named(graph, "e").cost, Cost::free);
  // No library has a table of functions of bytes: floats.
  EXPECT_TRUE(named(graph, "g").precision.empty());
  EXPECT_EQ(named(graph, "f").cost, Cost::measured);
  EXPECT_EQ(named(graph, "y").cost, Cost::measured);
}

TEST(Quantized, WhatMovesBytesDoesSoAtAnyPrecisionOfTheRun) {
  const auto precision = [](int type) {
    Model model(13);
    model.input("ids", {5}, TensorProto::INT64);
    stored(model, "table", {100, 8}, type);
    model.node("Gather", {"table", "ids"}, {"rows"});
    model.node("Transpose", {"rows"}, {"y"}, {{"perm", Dims{1, 0}}});
    const LoweredGraph graph = model.output("y").import();
    EXPECT_EQ(named(graph, "rows").precision, named(graph, "y").precision);
    return named(graph, "y").precision;
  };
  EXPECT_EQ(precision(TensorProto::UINT8), "int8");
  EXPECT_EQ(precision(TensorProto::INT8), "int8");
  EXPECT_EQ(precision(TensorProto::FLOAT16), "");
  EXPECT_EQ(precision(TensorProto::INT32), "");
}

TEST(Quantized, AConversionThatOthersReadStays) {
  Model model(13);
  model.input("x", {1, 8, 4, 4}, TensorProto::INT8).scalar("s", 0.1F);
  model.node("DequantizeLinear", {"x", "s"}, {"d"});
  model.node("MaxPool", {"d"}, {"p"}, {{"kernel_shape", Dims{2, 2}}});
  model.node("QuantizeLinear", {"p", "s"}, {"q"}).node("Sigmoid", {"d"}, {"other"});
  const LoweredGraph graph = model.output("q").output("other").import();
  EXPECT_EQ(named(graph, "p").precision, "int8");
  EXPECT_EQ(named(graph, "d").cost, Cost::measured);
}

TEST(Quantized, OperatorsOfBytesStateTheirPrecision) {
  Model model(13);
  model.input("x", {1, 8, 4, 4}, TensorProto::INT8).scalar("s", 0.1F);
  stored(model, "z", {}, TensorProto::INT8);
  stored(model, "w", {16, 8, 1, 1}, TensorProto::INT8);
  model.node("QLinearConv", {"x", "s", "z", "w", "s", "z", "s", "z"}, {"y"});
  // The zero point of the weights has no values here: it may be any.
  EXPECT_EQ(model.output("y").layer().problems.size(), 3U);
  model.graph().mutable_initializer(1)->clear_external_data();
  model.graph().mutable_initializer(1)->clear_data_location();
  model.graph().mutable_initializer(1)->set_raw_data(std::string(1, '\0'));
  const LoweredLayer layer = model.output("y").layer();
  EXPECT_EQ(layer.precision, "int8");
  EXPECT_EQ(layer.cost, Cost::measured);
}

TEST(Quantized, SumsAndJoinsOfBytesAreCalls) {
  Model model(13);
  model.domain("com.microsoft", 1);
  model.input("x", {1, 8}, TensorProto::UINT8).scalar("s", 0.1F);
  stored(model, "z", {}, TensorProto::UINT8);
  add_microsoft(model, "QLinearAdd", {"x", "s", "z", "x", "s", "z", "s", "z"}, {"a"});
  add_microsoft(model, "QLinearConcat", {"s", "z", "a", "s", "z", "x", "s", "z"}, {"y"},
                {{"axis", 1}});
  const LoweredGraph graph = model.output("y").import();
  EXPECT_THAT(named(graph, "a").problems, ElementsAre("add/1x8_1x8"));
  EXPECT_EQ(named(graph, "a").precision, "int8");
  EXPECT_EQ(named(graph, "y").cost, Cost::movement);
  EXPECT_EQ(named(graph, "y").precision, "int8");
}

// A decoder's first step joins nothing to its keys.
TEST(Quantized, JoinsOfOnePartMoveItsBytes) {
  Model model(13);
  model.domain("com.microsoft", 1).scalar("s", 0.1F).input("past", {0, 8}, TensorProto::UINT8);
  model.input("x", {2, 8}, TensorProto::UINT8);
  stored(model, "z", {}, TensorProto::UINT8);
  add_microsoft(model, "QLinearConcat", {"s", "z", "past", "s", "z", "x", "s", "z"}, {"y"},
                {{"axis", 0}});
  const LoweredGraph graph = model.output("y").import();
  EXPECT_EQ(named(graph, "y").cost, Cost::movement) << named(graph, "y").reason;
  EXPECT_THAT(named(graph, "y").problems, ElementsAre("copy/16_f1_t1"));
}

/// Bytes x of these extents, a scale "s" and its zero point "z".
Model bytes(const Dims& dims) {
  Model model(13);
  model.domain("com.microsoft", 1).input("x", dims, TensorProto::UINT8).scalar("s", 0.1F);
  return stored(model, "z", {}, TensorProto::UINT8);
}

TEST(Quantized, FunctionsOfBytesAreOfFloatsBetweenConversions) {
  Model model = bytes({2, 8});
  add_microsoft(model, "QLinearSigmoid", {"x", "s", "z", "s", "z"}, {"a"});
  add_microsoft(model, "QLinearLeakyRelu", {"a", "s", "z", "s", "z"}, {"y"}, {{"alpha", 0.2F}});
  const LoweredGraph graph = model.output("y").import();
  EXPECT_THAT(named(graph, "a").problems,
              ElementsAre("dequantize/2x8", "sigmoid/2x8", "quantize/2x8"));
  EXPECT_THAT(named(graph, "y").problems,
              ElementsAre("dequantize/2x8", "leakyrelu/2x8_a0.2", "quantize/2x8"));
  EXPECT_TRUE(named(graph, "y").precision.empty());
  EXPECT_EQ(named(graph, "y").outputs[0].type, "uint8");
}

// Up to opset 12, over all axes from `axis` on.
TEST(Quantized, ASoftmaxOfBytesStatesItsOpset) {
  const auto softmax = [](std::int64_t opset, std::int64_t axis) {
    Model model = bytes({2, 3, 4});
    add_microsoft(model, "QLinearSoftmax", {"x", "s", "z", "s", "z"}, {"y"},
                  {{"opset", opset}, {"axis", axis}});
    return model.output("y").layer().problems;
  };
  EXPECT_THAT(softmax(13, 1),
              ElementsAre("dequantize/2x3x4", "softmax/2x3x4_a1", "quantize/2x3x4"));
  EXPECT_THAT(softmax(12, 1), ElementsAre("dequantize/2x3x4", "softmax/2x12_a1", "quantize/2x12"));
  EXPECT_THAT(softmax(12, -1),
              ElementsAre("dequantize/2x3x4", "softmax/2x3x4_a2", "quantize/2x3x4"));
}

TEST(Quantized, AMeanOfBytesIsACall) {
  Model model = bytes({2, 8, 3, 3});
  add_microsoft(model, "QLinearReduceMean", {"x", "s", "z", "s", "z"}, {"y"},
                {{"axes", Dims{-2, -1}}, {"keepdims", 0}});
  const LoweredLayer layer = model.output("y").layer();
  EXPECT_THAT(layer.problems, ElementsAre("reducemean/2x8x3x3_a2.3"));
  EXPECT_EQ(layer.precision, "int8");
  EXPECT_EQ(layer.outputs[0].shape, (Dims{2, 8}));
}

TEST(Quantized, AChoiceOfBytesIsOneOfFloats) {
  Model model = bytes({2, 8});
  model.input("c", {8}, TensorProto::BOOL).input("w", {2, 1}, TensorProto::UINT8);
  add_microsoft(model, "QLinearWhere", {"c", "x", "s", "z", "w", "s", "z", "s", "z"}, {"y"});
  const LoweredLayer layer = model.output("y").layer();
  EXPECT_THAT(layer.problems, ElementsAre("dequantize/2x8", "dequantize/2x1",
                                          "select/1x8_a2x8_b2x1", "quantize/2x8"));
  EXPECT_EQ(layer.outputs[0].shape, (Dims{2, 8}));
}

TEST(Quantized, ScalesOfChannelsAreNamed) {
  Model model = bytes({2, 8});
  model.weights("scales", {8});
  add_microsoft(model, "QLinearSigmoid", {"x", "scales", "z", "s", "z"}, {"y"});
  EXPECT_THAT(model.output("y").layer().reason, HasSubstr("a scale for each channel"));
}

TEST(Quantized, AScaleOfTheDataIsTwoExtremesAndAConversion) {
  Model model(13);
  model.input("x", {4, 8}).node("DynamicQuantizeLinear", {"x"}, {"y", "scale", "zero"});
  const LoweredLayer layer = model.output("y").output("scale").output("zero").layer();
  EXPECT_THAT(layer.problems,
              ElementsAre("reducemax/4x8_a0.1", "reducemin/4x8_a0.1", "quantize/4x8"));
}

/// x times dequantized weights of 1024 x 1024.
Model packed_product(int type, Attributes attributes, const Dims& scales, bool zero_points,
                     bool transposed = false) {
  Model model(21);
  model.input("x", {1, 1024});
  stored(model, "w", {1024, 1024}, type);
  stored(model, "s", scales, TensorProto::FLOAT16);
  std::vector<std::string> inputs{"w", "s"};
  if (zero_points) {
    stored(model, "z", scales, type);
    inputs.emplace_back("z");
  }
  model.node("DequantizeLinear", inputs, {"d"}, attributes);
  if (transposed) model.node("Transpose", {"d"}, {"t"});
  model.node("MatMul", {"x", transposed ? "t" : "d"}, {"y"});
  return model.output("y");
}

TEST(PackedWeights, OfAProductKeepTheirType) {
  const auto problem = [](const Model& model) { return model.layer().problems.front(); };
  EXPECT_EQ(problem(packed_product(int4, {{"axis", 0}, {"block_size", 32}}, {32, 1024}, false)),
            "gemm/m1_n1024_k1024_nn_w_packed.int4.b32");
  EXPECT_EQ(problem(packed_product(uint4, {{"axis", 0}, {"block_size", 32}}, {32, 1024}, true)),
            "gemm/m1_n1024_k1024_nn_w_packed.uint4.b32.z");
  EXPECT_EQ(problem(packed_product(TensorProto::INT8, {{"axis", 1}}, {1024}, false)),
            "gemm/m1_n1024_k1024_nn_w_packed.int8.c");
  EXPECT_EQ(
      problem(packed_product(int4, {{"axis", 1}, {"block_size", 32}}, {1024, 32}, false, true)),
      "gemm/m1_n1024_k1024_nn_w_packed.int4.b32")
      << "through a view";
}

// 512 KiB of weights, 32,768 scales.
TEST(PackedWeights, AreTheLeastTraffic) {
  const LoweredGraph graph =
      packed_product(int4, {{"axis", 0}, {"block_size", 32}}, {32, 1024}, false).import();
  EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = 32768, .bytes = 524288}));
  EXPECT_EQ(graph.parameters, 1024 * 1024);
}

TEST(PackedWeights, OfMatMulNBits) {
  for (const int bits : {2, 4, 8}) {
    Model model(21);
    model.domain("com.microsoft", 1).input("x", {3, 128});
    stored(model, "w", {64, 4, 32 * bits / 8}, TensorProto::UINT8);
    stored(model, "s", {64 * 4}, TensorProto::FLOAT);
    add_microsoft(model, "MatMulNBits", {"x", "w", "s"}, {"y"},
                  {{"K", 128}, {"N", 64}, {"bits", bits}, {"block_size", 32}});
    const LoweredGraph graph = model.output("y").import();
    EXPECT_THAT(graph.layers[0].problems,
                ElementsAre("gemm/m3_n64_k128_nt_w_packed.int" + std::to_string(bits) + ".b32"));
    EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = 256, .bytes = 64 * 128 * bits / 8}));
    // Several weights in a byte; the scales are none.
    EXPECT_EQ(graph.parameters, 64 * 128);
    EXPECT_EQ(graph.stored_parameters, (Traffic{.bytes = 64 * 128 * bits / 8}));
  }
}

TEST(StoredTensors, CountOnceHoweverManyNamesTheyHave) {
  Model model(13);
  model.input("x", {1, 8}).weights("w", {8, 8});
  model.node("Identity", {"w"}, {"i"}).node("Transpose", {"w"}, {"t"});
  model.node("MatMul", {"x", "w"}, {"a"}).node("MatMul", {"a", "i"}, {"b"});
  model.node("MatMul", {"b", "t"}, {"y"});
  const LoweredGraph graph = model.output("y").import();
  EXPECT_EQ(graph.parameters, 64);
  EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = 64}));
}

/// x times bytes of 8 x 16, with a bias, after the scale of x.
Model dynamic_product(Attributes attributes = {}) {
  Model model(13);
  model.domain("com.microsoft", 1).input("x", {2, 3, 8}).scalar("s", 0.1F);
  stored(model, "w", {8, 16}, TensorProto::INT8);
  model.weights("b", {16});
  add_microsoft(model, "DynamicQuantizeMatMul", {"x", "w", "s", "", "b"}, {"y"}, attributes);
  return model.output("y");
}

// As a builder writes tied embeddings: two tensors, one part of the file of weights.
TEST(StoredTensors, OfOnePartOfAFileAreOne) {
  const auto graph = [](const std::string& second) {
    Model model(17);
    model.input("x", {4, 64});
    for (const char* name : {"a", "b"}) {
      stored(model, name, {64, 64}, TensorProto::FLOAT);
      auto& tensor = *model.graph().mutable_initializer(model.graph().initializer_size() - 1);
      auto& entry = *tensor.add_external_data();
      entry.set_key("offset");
      entry.set_value(*name == 'a' ? "4096" : second);
    }
    model.node("MatMul", {"x", "a"}, {"h"}).node("MatMul", {"h", "b"}, {"y"});
    return model.output("y").import();
  };
  EXPECT_EQ(graph("4096").compulsory.weights, (Traffic{.elements = 64 * 64}));
  EXPECT_EQ(graph("4096").parameters, 64 * 64);
  EXPECT_EQ(graph("20480").compulsory.weights, (Traffic{.elements = 2 * 64 * 64}));
}

TEST(DynamicQuantizeMatMul, IsAScaleOfItsDataAndAProductOfBytes) {
  const LoweredGraph graph = dynamic_product().import();
  ASSERT_EQ(graph.layers.size(), 2U);
  EXPECT_EQ(graph.layers[0].name, "y/DynamicQuantizeLinear");
  EXPECT_THAT(graph.layers[0].problems,
              ElementsAre("reducemax/2x3x8_a0.1.2", "reducemin/2x3x8_a0.1.2", "quantize/2x3x8"));
  EXPECT_TRUE(graph.layers[0].precision.empty());
  EXPECT_EQ(graph.layers[1].name, "y");
  EXPECT_THAT(graph.layers[1].problems, ElementsAre("gemm/m6_n16_k8_nn_w_u8_bias"));
  EXPECT_EQ(graph.layers[1].precision, "int8");
  EXPECT_EQ(graph.layers[1].reason, "");
  EXPECT_EQ(graph.layers[1].outputs[0].shape, (Dims{2, 3, 16}));
  EXPECT_EQ(graph.layers[1].outputs[0].type, "float");
  EXPECT_EQ(graph.compulsory.weights.bytes, 8 * 16);
}

TEST(DynamicQuantizeMatMul, WithMoreThanItsPartsIsNamedWithItsWeights) {
  const LoweredGraph graph = dynamic_product({{"newest", 1}}).import();
  ASSERT_EQ(graph.layers.size(), 1U);
  EXPECT_EQ(graph.layers[0].cost, Cost::unsupported);
  EXPECT_EQ(graph.compulsory.weights.bytes, 8 * 16);
}

}  // namespace
}  // namespace benanza::onnx
