// Weights that a model unpacks by arithmetic of its own, and operators whose types are bytes.
#include <gmock/gmock.h>

#include "core/base/error.h"
#include "generator/tests/onnx/stored.h"

namespace benanza::onnx {
namespace {

using ::onnx::TensorProto;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr int float8e4m3fn = 17;
constexpr int packed_uint4 = 21;
constexpr int float8e5m2 = 19;
constexpr int float4e2m1 = 23;

Model casting(const std::string& op, const Dims& dims, int type) {
  Model model(21);
  model.input("x", {1, 64});
  stored(model, "w", dims, type);
  model.node("Cast", {"w"}, {"f"}, {{"to", std::int64_t{TensorProto::FLOAT}}});
  if (op.empty()) model.node("MatMul", {"x", "f"}, {"y"});
  return model.output("y");
}

TEST(CastWeights, OfAnyNarrowTypeKeepIt) {
  const auto of = [](int type) { return casting("", {64, 32}, type).import(); };
  EXPECT_THAT(of(TensorProto::INT8).layers[1].problems,
              ElementsAre("gemm/m1_n32_k64_nn_w_packed.int8"));
  EXPECT_THAT(of(float8e4m3fn).layers[1].problems, ElementsAre("gemm/m1_n32_k64_nn_w_packed.fp8"));
  EXPECT_EQ(of(float8e4m3fn).compulsory.weights, (Traffic{.bytes = 64 * 32}));
  // At fp32, too, they are read as 16 bits.
  EXPECT_EQ(of(TensorProto::FLOAT16).compulsory.weights, (Traffic{.halves = 64 * 32}));
  EXPECT_EQ(of(TensorProto::BFLOAT16).compulsory.weights, (Traffic{.halves = 64 * 32}));
  EXPECT_EQ(of(TensorProto::DOUBLE).compulsory.weights, (Traffic{.elements = 64 * 32}));
  EXPECT_THAT(of(TensorProto::FLOAT16).layers[1].problems, ElementsAre("gemm/m1_n32_k64_nn_w"));
}

// 64 of 66 rows are stored, as floats.
TEST(StoredWeights, PadsAreNotStored) {
  Model model(13);
  model.input("x", {1, 66}).weights("w", {64, 192}).integers("pads", {0, 0, 2, 0});
  model.node("Pad", {"w", "pads"}, {"padded"}).node("MatMul", {"x", "padded"}, {"y"});
  EXPECT_EQ(model.output("y").import().compulsory.weights, (Traffic{.elements = 64 * 192}));
}

// One byte on one side, floats on the other: an image, or what the model unpacks by itself.
TEST(Cast, BetweenBytesAndFloatsIsAConversion) {
  const auto layer = [](int from, int to, const Dims& dims = {2, 8}) {
    Model model(19);
    return model.input("x", dims, from)
        .node("Cast", {"x"}, {"y"}, {{"to", std::int64_t{to}}})
        .output("y")
        .layer();
  };
  const LoweredLayer image = layer(TensorProto::UINT8, TensorProto::FLOAT);
  EXPECT_THAT(image.problems, ElementsAre("dequantize/2x8"));
  EXPECT_EQ(image.bytes, 16 + 4 * 16);
  EXPECT_THAT(layer(TensorProto::FLOAT16, TensorProto::INT8).problems, ElementsAre("quantize/2x8"));
  EXPECT_THAT(layer(float8e4m3fn, TensorProto::FLOAT).problems, ElementsAre("dequantize/2x8_fp8"));
  const LoweredLayer wide = layer(float8e5m2, TensorProto::FLOAT16);
  EXPECT_THAT(wide.problems, ElementsAre("dequantize/2x8_fp8"));
  EXPECT_EQ(wide.bytes, 16 + 4 * 16);
  EXPECT_THAT(layer(TensorProto::INT8, TensorProto::FLOAT, {}).problems,
              ElementsAre("dequantize/1"));
  EXPECT_THAT(layer(TensorProto::BOOL, TensorProto::FLOAT).problems, ElementsAre("copy/16_f1_t1"));
}

// As exporters without DequantizeLinear write weights of columns.
TEST(CastWeights, ScaledOnesHaveAScalePerColumn) {
  Model model = casting("scaled", {32, 64}, TensorProto::INT8).weights("s", {32, 1});
  model.node("Mul", {"f", "s"}, {"d"}).node("Transpose", {"d"}, {"t"}, {{"perm", Dims{1, 0}}});
  model.node("MatMul", {"x", "t"}, {"y"});
  const LoweredGraph graph = model.import();
  EXPECT_THAT(graph.layers.back().problems, ElementsAre("gemm/m1_n32_k64_nn_w_packed.int8.c"));
  EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = 32, .bytes = 32 * 64}));
  EXPECT_EQ(graph.parameters, 32 * 64);
  EXPECT_EQ(graph.stored_parameters, (Traffic{.bytes = 32 * 64}));
}

TEST(CastWeights, InBlocksHaveThemAndTheirZeroPoints) {
  Model model = casting("blocks", {32, 4, 16}, packed_uint4).weights("s", {32, 4, 1});
  stored(model, "z", {32, 4, 1}, packed_uint4);
  model.integers("flat", {32, 64});
  model.node("Cast", {"z"}, {"zf"}, {{"to", std::int64_t{TensorProto::FLOAT}}});
  model.node("Sub", {"f", "zf"}, {"m"}).node("Mul", {"m", "s"}, {"d"});
  model.node("Reshape", {"d", "flat"}, {"r"});
  model.node("Transpose", {"r"}, {"t"}, {{"perm", Dims{1, 0}}});
  model.node("MatMul", {"x", "t"}, {"y"});
  const LoweredGraph graph = model.import();
  EXPECT_THAT(graph.layers.back().problems, ElementsAre("gemm/m1_n32_k64_nn_w_packed.uint4.b16.z"));
  // Half a byte for each weight and each zero point, 128 scales.
  EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = 128, .bytes = 32 * 64 / 2 + 128 / 2}));
}

// The low and the high half of each byte.
TEST(CastWeights, UnpackedByShiftsHaveTheBitsThatAreStored) {
  Model model(21);
  model.input("x", {1, 64}).weights("s", {32});
  stored(model, "w", {32, 32}, TensorProto::UINT8);
  stored(model, "fifteen", {}, TensorProto::UINT8);
  stored(model, "four", {}, TensorProto::UINT8);
  model.node("BitwiseAnd", {"w", "fifteen"}, {"low"});
  model.node("BitShift", {"w", "four"}, {"high"}, {{"direction", std::string("RIGHT")}});
  model.node("Concat", {"low", "high"}, {"q"}, {{"axis", std::int64_t{0}}});
  model.node("Cast", {"q"}, {"f"}, {{"to", std::int64_t{TensorProto::FLOAT}}});
  model.node("Mul", {"f", "s"}, {"d"}).node("MatMul", {"x", "d"}, {"y"});
  const LoweredGraph graph = model.output("y").import();
  EXPECT_THAT(graph.layers.back().problems, ElementsAre("gemm/m1_n32_k64_nn_w_packed.uint4.c"));
  EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = 32, .bytes = 32 * 32 + 2}));
  EXPECT_EQ(graph.parameters, 64 * 32);
  EXPECT_EQ(graph.stored_parameters, (Traffic{.bytes = 32 * 32}));
}

// Blocks of 32 along the sums, or along the columns.
TEST(PackedWeights, WithBlocksOfColumnsAreNamedWithTheirBytes) {
  const auto graph = [](std::int64_t axis, bool transposed) {
    Model model(21);
    model.input("x", {1, 64});
    stored(model, "w", {64, 64}, packed_uint4);
    stored(model, "s", axis == 0 ? Dims{2, 64} : Dims{64, 2}, TensorProto::FLOAT);
    model.node("DequantizeLinear", {"w", "s"}, {"d"}, {{"axis", axis}, {"block_size", 32}});
    if (transposed) model.node("Transpose", {"d"}, {"t"}, {{"perm", Dims{1, 0}}});
    model.node("MatMul", {"x", transposed ? "t" : "d"}, {"y"});
    return model.output("y").import();
  };
  for (const bool transposed : {false, true}) {
    EXPECT_THAT(graph(transposed ? 1 : 0, transposed).layers.back().problems,
                ElementsAre("gemm/m1_n64_k64_nn_w_packed.uint4.b32"));
    const LoweredGraph columns = graph(transposed ? 0 : 1, transposed);
    EXPECT_EQ(columns.layers.back().cost, Cost::unsupported);
    EXPECT_THAT(columns.layers.back().reason, testing::HasSubstr("blocks of columns"));
    EXPECT_EQ(columns.layers.back().bytes, 64 * 64 / 2 + 128 * 4 + 2 * 64 * 4) << "and two rows";
    EXPECT_EQ(columns.compulsory.weights, (Traffic{.elements = 128, .bytes = 64 * 64 / 2}));
  }
}

// 2 of 8 experts, which may be the same one: 64 x 32 numbers of half a byte, 2 x 32 scales.
TEST(PackedWeights, OfExpertsThatAreLookedUpAreOneAtLeast) {
  Model model(21);
  model.input("x", {1, 4, 64}).input("chosen", {2}, TensorProto::INT64);
  stored(model, "w", {8, 64, 32}, packed_uint4);
  stored(model, "s", {8, 2, 32}, TensorProto::FLOAT);
  stored(model, "f", {8, 32, 16}, TensorProto::FLOAT);
  model.node("Gather", {"w", "chosen"}, {"wc"}).node("Gather", {"s", "chosen"}, {"sc"});
  model.node("DequantizeLinear", {"wc", "sc"}, {"d"}, {{"axis", 1}, {"block_size", 32}});
  model.node("MatMul", {"x", "d"}, {"m"}).node("Gather", {"f", "chosen"}, {"fc"});
  const LoweredGraph graph = model.node("MatMul", {"m", "fc"}, {"y"}).output("y").import();
  EXPECT_EQ(graph.compulsory.weights,
            (Traffic{.elements = 2 * 32 + 32 * 16, .bytes = 64 * 32 / 2}));
}

TEST(PackedWeights, OfFloatsHaveNoZeroPoints) {
  Model model(21);
  model.input("x", {1, 64}).scalar("s", 1);
  stored(model, "w", {64, 32}, float8e4m3fn);
  stored(model, "z", {}, float8e4m3fn);
  model.node("DequantizeLinear", {"w", "s", "z"}, {"d"}).node("MatMul", {"x", "d"}, {"y"});
  EXPECT_THAT(model.output("y").layer().problems, ElementsAre("gemm/m1_n32_k64_nn_w_packed.fp8"));
}

/// 3 rows of 128 times 64 columns, of which the file stores `blocks` blocks of 16 bytes; by the
/// attributes, there are 4 of 32 numbers.
Model nbits_product(std::int64_t blocks, std::int64_t bits = 4, std::int64_t accuracy = 0,
                    const std::vector<std::string>& inputs = {"x", "w", "s"}) {
  Model model(21);
  model.domain("com.microsoft", 1).input("x", {3, 128}).integers("order", Dims(128, 0));
  stored(model, "w", {64, blocks, 16}, TensorProto::UINT8);
  stored(model, "s", {64 * 4}, TensorProto::FLOAT);
  add_microsoft(
      model, "MatMulNBits", inputs, {"y"},
      {{"K", 128}, {"N", 64}, {"bits", bits}, {"block_size", 32}, {"accuracy_level", accuracy}});
  return model.output("y");
}

TEST(PackedWeights, OfMatMulNBitsWhoseDataMayBeRoundedSaySo) {
  EXPECT_THAT(nbits_product(4, 4, 4).layer().reason, HasSubstr("may round its data to int8"));
}

TEST(PackedWeights, OfMatMulNBitsHaveTheBytesThatItsAttributesSay) {
  const auto refused = [](const char* text) {
    return testing::ThrowsMessage<Error>(HasSubstr(text));
  };
  EXPECT_THAT([] { nbits_product(2).import(); },
              refused("2048 bytes of weights; N, K, bits and block_size need 4096"));
  EXPECT_THAT([] { nbits_product(4, 8).import(); }, refused("need 8192"));
}

// As GPTQ orders them: rows of A change places, the weights when they are loaded.
TEST(PackedWeights, OfMatMulNBitsInAnotherOrderTakeACopyOfTheData) {
  EXPECT_THAT(nbits_product(4, 4, 0, {"x", "w", "s", "", "order"}).layer().problems,
              ElementsAre("copy/384_f1_t1", "gemm/m3_n64_k128_nt_w_packed.int4.b32"));
}

// Unsigned weights have the middle of their range as zero point, or take sums of the data.
TEST(Quantized, UnsignedWeightsWithoutAZeroPointTakeSums) {
  const auto product = [](int type) {
    Model model(13);
    model.input("x", {4, 8}, TensorProto::UINT8);
    stored(model, "w", {8, 16}, type);
    return model.node("MatMulInteger", {"x", "w"}, {"y"}).output("y").layer();
  };
  EXPECT_THAT(product(TensorProto::INT8).problems, ElementsAre("gemm/m4_n16_k8_nn_w_u8"));
  EXPECT_THAT(product(TensorProto::UINT8).problems,
              ElementsAre("gemm/m4_n16_k8_nn_w_u8", "gemm/m4_n1_k8_nn_w_u8", "sub/4x16_4x1"));
}

TEST(Quantized, WhatReadsAndMakesBytesIsMeasuredSo) {
  const auto precision = [](const std::string& op, int type, bool two) {
    Model model(18);
    model.input("x", {1, 2, 4, 4}, type).input("z", {1, 2, 4, 4}, type);
    std::vector<std::string> inputs{"x"};
    if (two) inputs.emplace_back("z");
    if (op == "MaxPool") {
      model.node(op, inputs, {"y"}, {{"kernel_shape", Dims{2, 2}}});
    } else {
      model.node(op, inputs, {"y"});
    }
    return model.output("y").layer().precision;
  };
  EXPECT_EQ(precision("MaxPool", TensorProto::UINT8, false), "int8");
  EXPECT_EQ(precision("MaxPool", TensorProto::FLOAT, false), "");
  EXPECT_EQ(precision("Max", TensorProto::INT8, true), "int8");
  EXPECT_EQ(precision("Add", TensorProto::INT32, true), "");
}

// No library here has a product of such weights: that of floats stands for it, and says so.
TEST(PackedWeights, ThatAreMixedWhenTheModelIsLoadedAreNamed) {
  Model model(21);
  model.input("x", {4, 64}).scalar("s", 0.5F).scalar("t", 0.25F).integers("from", {0});
  model.integers("to", {64});
  stored(model, "a", {64, 32}, TensorProto::INT8);
  stored(model, "b", {64, 32}, TensorProto::INT8);
  model.node("DequantizeLinear", {"a", "s"}, {"af"}).node("DequantizeLinear", {"b", "t"}, {"bf"});
  model.node("Concat", {"af", "bf"}, {"w"}, {{"axis", 1}});
  model.node("Slice", {"w", "from", "to"}, {"part"}).node("MatMul", {"x", "part"}, {"y"});
  const LoweredGraph graph = model.output("y").import();
  EXPECT_THAT(graph.layers.back().problems, ElementsAre("gemm/m4_n64_k64_nn_w"));
  EXPECT_THAT(graph.layers.back().reason, testing::HasSubstr("stored as int8"));
  EXPECT_EQ(graph.compulsory.weights, (Traffic{.bytes = 2 * 64 * 32}))
      << "without scales and the numbers that choose the rows";
}

// As tools for NPUs write activations.
TEST(Quantized, ConversionsOf16BitsAreNamedWithTheirTraffic) {
  Model model(21);
  model.input("x", {4, 64}, TensorProto::UINT16).scalar("s", 0.5F);
  stored(model, "z", {}, TensorProto::UINT16);
  model.node("DequantizeLinear", {"x", "s", "z"}, {"d"}).node("Relu", {"d"}, {"r"});
  model.node("QuantizeLinear", {"r", "s", "z"}, {"y"}).output("y");
  const LoweredGraph graph = model.import();
  EXPECT_EQ(graph.layers[0].cost, Cost::unsupported);
  EXPECT_THAT(graph.layers[0].reason, testing::HasSubstr("uint16"));
  EXPECT_THAT(graph.layers[1].problems, ElementsAre("relu/4x64"));
  EXPECT_EQ(graph.compulsory.inputs, (Traffic{.bytes = 512}));
  EXPECT_EQ(graph.compulsory.outputs, (Traffic{.bytes = 512}));
}

// As TensorRT's model optimizer writes opsets below 19 and 21.
TEST(TensorRt, ConversionsAreThoseOfOnnx) {
  Model model(17);
  model.domain("trt", 1).input("x", {16, 64}).scalar("s", 0.5F).weights("sw", {2, 32});
  stored(model, "w", {64, 32}, 22);
  const auto add = [&](const std::string& op, const std::vector<std::string>& inputs,
                       const std::string& output, Attributes attributes = {}) {
    model.node(op, inputs, {output}, attributes).last().set_domain("trt");
  };
  add("TRT_FP8QuantizeLinear", {"x", "s"}, "xq");
  add("TRT_FP8DequantizeLinear", {"xq", "s"}, "xd");
  add("DequantizeLinear", {"w", "sw"}, "wd", {{"axis", 0}, {"block_size", 32}});
  const LoweredGraph graph = model.node("MatMul", {"xd", "wd"}, {"y"}).output("y").import();
  EXPECT_THAT(graph.layers[0].problems, ElementsAre("quantize/16x64_fp8"));
  EXPECT_EQ(graph.layers[0].outputs[0].type, "float8e4m3fn");
  EXPECT_THAT(graph.layers[3].problems, ElementsAre("gemm/m16_n32_k64_nn_w_packed.int4.b32"));
  EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = 64, .bytes = 1024}));
}

// Weights of 64 x 32 as plain bytes, and with a scale, a power of two, for each block of 32.
TEST(TensorRt, BytesThatAreReadAsFloatsAreFloats) {
  Model model(17);
  model.domain("trt", 1).input("x", {16, 64}).scalar("s", 0.5F);
  stored(model, "w", {64, 32}, TensorProto::UINT8);
  stored(model, "w2", {32, 32}, TensorProto::UINT8);
  stored(model, "s2", {1, 32}, TensorProto::UINT8);
  model.node("TRT_FP8DequantizeLinear", {"w", "s"}, {"wd"}).last().set_domain("trt");
  model.node("TRT_MXFP8DequantizeLinear", {"w2", "s2"}, {"wd2"}, {{"axis", 0}, {"block_size", 32}});
  model.last().set_domain("trt");
  model.node("MatMul", {"x", "wd"}, {"m"}).node("MatMul", {"m", "wd2"}, {"y"}).output("y");
  const LoweredGraph graph = model.import();
  EXPECT_THAT(graph.layers[2].problems, ElementsAre("gemm/m16_n32_k64_nn_w_packed.fp8"));
  EXPECT_THAT(graph.layers[3].problems, ElementsAre("gemm/m16_n32_k32_nn_w_packed.fp8.b32"));
  EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = 1, .bytes = 64 * 32 + 32 * 32 + 32}));
}

// What is behind it keeps its shapes; weights of 4 bits, a byte for the scale of each 16.
TEST(TensorRt, RoundingOfBlocksAsTheModelRunsIsNamed) {
  Model model(23);
  model.domain("trt", 1).input("x", {16, 64}).scalar("g", 0.5F);
  stored(model, "w", {64, 32}, float4e2m1);
  stored(model, "ws", {4, 32}, float8e4m3fn);
  model.node("TRT_FP4DynamicQuantize", {"x", "g"}, {"xq", "xs"}, {{"block_size", 16}});
  model.last().set_domain("trt");
  model.node("DequantizeLinear", {"xs", "g"}, {"xsd"});
  model.node("DequantizeLinear", {"xq", "xsd"}, {"xd"}, {{"axis", -1}, {"block_size", 16}});
  model.node("DequantizeLinear", {"ws", "g"}, {"wsd"});
  model.node("DequantizeLinear", {"w", "wsd"}, {"wd"}, {{"axis", 0}, {"block_size", 16}});
  const LoweredGraph graph = model.node("MatMul", {"xd", "wd"}, {"y"}).output("y").import();
  EXPECT_EQ(graph.layers[0].cost, Cost::unsupported);
  EXPECT_EQ(graph.layers[0].outputs[0].type, "float4e2m1");
  EXPECT_EQ(graph.layers[0].outputs[1].shape, (Dims{16, 4}));
  EXPECT_EQ(graph.layers[2].cost, Cost::unsupported) << "no library here reads such activations";
  EXPECT_THAT(graph.layers.back().problems, ElementsAre("gemm/m16_n32_k64_nn_w_packed.fp4.b16"));
  EXPECT_THAT(graph.layers.back().reason, HasSubstr("from float4e2m1, are taken to be floats"));
  EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = 1, .bytes = 64 * 32 / 2 + 4 * 32}));
}

TEST(TensorRt, ARoundingToFp4AndBackKeepsItsShape) {
  Model model(17);
  model.domain("trt", 1).input("x", {16, 64}).weights("w", {64, 32});
  model.node("TRT_FP4QDQ", {"x"}, {"q"}, {{"block_size", 16}}).last().set_domain("trt");
  const LoweredGraph graph = model.node("MatMul", {"q", "w"}, {"y"}).output("y").import();
  EXPECT_EQ(graph.layers[0].cost, Cost::unsupported);
  EXPECT_THAT(graph.layers[1].problems, ElementsAre("gemm/m16_n32_k64_nn_w"));
}

// Q and DQ of 16 bits in a domain of its own, and a rounding to floats of blocks.
TEST(Quark, ConversionsAreThoseOfOnnx) {
  Model model(17);
  model.domain("com.amd.quark", 1).input("x", {16, 64}).scalar("s", 0.5F);
  stored(model, "w", {64, 32}, TensorProto::INT8);
  stored(model, "z", {}, TensorProto::INT8);
  stored(model, "z16", {}, TensorProto::INT16);
  model.node("BFPQuantizeDequantize", {"x"}, {"b"}).last().set_domain("com.amd.quark");
  model.node("ExtendedQuantizeLinear", {"b", "s", "z16"}, {"q"});
  model.last().set_domain("com.amd.quark");
  model.node("ExtendedDequantizeLinear", {"q", "s", "z16"}, {"d"});
  model.last().set_domain("com.amd.quark");
  model.node("ExtendedDequantizeLinear", {"w", "s", "z"}, {"wd"});
  model.last().set_domain("com.amd.quark");
  const LoweredGraph graph = model.node("MatMul", {"d", "wd"}, {"y"}).output("y").import();
  EXPECT_EQ(graph.layers[0].cost, Cost::unsupported);
  EXPECT_EQ(graph.layers[0].outputs[0].shape, (Dims{16, 64}));
  EXPECT_EQ(graph.layers[1].outputs[0].type, "int16");
  EXPECT_THAT(graph.layers.back().problems, ElementsAre("gemm/m16_n32_k64_nn_w_packed.int8.z"));
  EXPECT_EQ(graph.compulsory.weights.bytes, 64 * 32 + 1);
}

TEST(Qonnx, RoundedFloatsKeepTheirShapes) {
  const std::string domain = "qonnx.custom_op.general";
  Model model(17);
  model.domain(domain, 1).input("x", {16, 64}).weights("w", {64, 32});
  model.scalar("s", 0.5F).scalar("z", 0).scalar("bits", 4);
  for (const char* name : {"x", "w"}) {
    model.node("Quant", {name, "s", "z", "bits"}, {std::string(name) + "q"});
    model.last().set_domain(domain);
  }
  const LoweredGraph graph = model.node("MatMul", {"xq", "wq"}, {"y"}).output("y").import();
  EXPECT_EQ(graph.layers[0].cost, Cost::unsupported);
  EXPECT_THAT(graph.layers[2].problems, ElementsAre("gemm/m16_n32_k64_nn_w"));
  EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = 64 * 32}));
  EXPECT_EQ(graph.compulsory.inputs, (Traffic{.elements = 16 * 64}));
}

TEST(DynamicQuantizeMatMul, MayHaveABatchOfWeights) {
  Model model(13);
  model.domain("com.microsoft", 1).input("x", {2, 3, 8}).scalar("s", 0.1F);
  stored(model, "w", {2, 8, 16}, TensorProto::INT8);
  add_microsoft(model, "DynamicQuantizeMatMul", {"x", "w", "s"}, {"y"});
  const LoweredLayer layer = model.output("y").layer();
  EXPECT_EQ(layer.outputs[0].shape, (Dims{2, 3, 16}));
  EXPECT_THAT(layer.problems, ElementsAre("gemm/m3_n16_k8_nn_a2_b2_w_u8"));
}

}  // namespace
}  // namespace benanza::onnx
