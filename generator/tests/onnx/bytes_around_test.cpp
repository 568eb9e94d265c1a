// What becomes part of a call of bytes between DequantizeLinear and QuantizeLinear.
#include <gmock/gmock.h>

#include "core/base/error.h"
#include "generator/tests/onnx/stored.h"

namespace benanza::onnx {
namespace {

using ::onnx::TensorProto;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const LoweredLayer& layer_of(const LoweredGraph& graph, const std::string& name) {
  for (const LoweredLayer& layer : graph.layers) {
    if (layer.name == name) return layer;
  }
  throw Error("no layer " + name);
}

void add_point(Model& model, const std::string& name, int type, int value) {
  auto& zero = *model.graph().add_initializer();
  zero.set_name(name);
  zero.set_data_type(type);
  zero.add_int32_data(value);
}

/// "a" and "b" are made of bytes of `type` with zero point `point`; scale 0.1.
Model of_bytes(int type, int point, const Dims& a, const Dims& b) {
  Model model(13);
  model.input("ai", a, type).input("bi", b, type).scalar("s", 0.1F);
  add_point(model, "z", type, point);
  model.node("DequantizeLinear", {"ai", "s", "z"}, {"a"});
  model.node("DequantizeLinear", {"bi", "s", "z"}, {"b"});
  return model;
}

LoweredGraph to_bytes(Model model, const std::string& name, const std::string& scale = "s") {
  model.node("QuantizeLinear", {name, scale, "z"}, {"y"});
  return model.output("y").import();
}

// As in a quantized ResNet: the conversion to unsigned bytes from 0 on cuts what a relu does.
TEST(BytesAround, AReluBehindASumIsDoneByTheConversion) {
  const auto sum = [](int type) {
    Model model = of_bytes(type, 0, {1, 8, 4, 4}, {1, 8, 4, 4});
    model.node("Add", {"a", "b"}, {"c"}).node("Relu", {"c"}, {"r"});
    return to_bytes(std::move(model), "r");
  };
  const LoweredGraph cut = sum(TensorProto::UINT8);
  EXPECT_THAT(layer_of(cut, "c").problems, ElementsAre("add/1x8x4x4_1x8x4x4"));
  EXPECT_EQ(layer_of(cut, "c").precision, "int8");
  for (const char* const free : {"a", "b", "r", "y"}) {
    EXPECT_EQ(layer_of(cut, free).cost, Cost::free) << free;
  }
  // The middle of signed bytes is their 0.
  const LoweredGraph kept = sum(TensorProto::INT8);
  EXPECT_THAT(layer_of(kept, "c").problems, ElementsAre("add/1x8x4x4_1x8x4x4"));
  EXPECT_THAT(layer_of(kept, "r").problems, ElementsAre("relu/1x8x4x4"));
  EXPECT_EQ(layer_of(kept, "r").precision, "int8");
  EXPECT_EQ(layer_of(kept, "y").cost, Cost::free);
}

// 255 steps of 6/255 from 0 on end where the clip does; steps of 0.1 go on to 25.5, and bytes are
// clipped.
TEST(BytesAround, AClipToTheRangeOfTheBytesIsDoneByTheConversion) {
  const auto clip = [](float scale) {
    Model model = of_bytes(TensorProto::UINT8, 0, {4, 8}, {4, 8});
    stored(model, "w", {8, 16}, TensorProto::INT8);
    model.scalar("lo", 0).scalar("hi", 6).scalar("t", scale);
    model.node("DequantizeLinear", {"w", "s"}, {"wd"}).node("MatMul", {"a", "wd"}, {"m"});
    model.node("Clip", {"m", "lo", "hi"}, {"c"});
    const LoweredGraph graph = to_bytes(std::move(model), "c", "t");
    EXPECT_EQ(layer_of(graph, "m").precision, "int8");
    EXPECT_EQ(layer_of(graph, "y").cost, Cost::free);
    const LoweredLayer& clipped = layer_of(graph, "c");
    return clipped.cost == Cost::free ? "free" : clipped.precision;
  };
  EXPECT_EQ(clip(6.0F / 255), "free");
  EXPECT_EQ(clip(0.1F), "int8");
}

TEST(BytesAround, WhatMovesElementsBeforeAProductMovesBytes) {
  Model model = of_bytes(TensorProto::INT8, 0, {2, 16, 8}, {2, 32, 8});
  model.node("Transpose", {"b"}, {"t"}, {{"perm", Dims{0, 2, 1}}});
  model.node("MatMul", {"a", "t"}, {"m"});
  model.node("Transpose", {"m"}, {"n"}, {{"perm", Dims{0, 2, 1}}});
  const LoweredGraph graph = to_bytes(std::move(model), "n");
  EXPECT_THAT(layer_of(graph, "m").problems, ElementsAre("gemm/m16_n32_k8_nn_a2_b2"));
  for (const char* const name : {"t", "m", "n"}) {
    EXPECT_EQ(layer_of(graph, name).precision, "int8") << name;
  }
  for (const char* const free : {"a", "b", "y"}) {
    EXPECT_EQ(layer_of(graph, free).cost, Cost::free) << free;
  }
}

// Pads of zeros are bytes, too: those of the zero point.
TEST(BytesAround, WhatPicksOrPadsElementsBeforeAProductMovesBytes) {
  const auto moved = [](const std::string& op, const Attributes& attributes, bool is_bytes,
                        const std::vector<std::string>& more = {}) {
    Model model = of_bytes(TensorProto::UINT8, 128, {1, 8, 6, 6}, {1});
    model.integers("pads", {0, 0, 1, 1, 0, 0, 1, 1}).integers("from", {1}).integers("to", {5});
    model.integers("axis", {2}).scalar("one", 1).scalar("zero", 0);
    std::vector<std::string> inputs{"a"};
    inputs.insert(inputs.end(), more.begin(), more.end());
    model.node(op, inputs, {"p"}, attributes);
    const std::int64_t channels = op == "SpaceToDepth" ? 32 : op == "DepthToSpace" ? 2 : 8;
    stored(model, "w", {4, channels, 1, 1}, TensorProto::INT8);
    model.node("DequantizeLinear", {"w", "s"}, {"wf"}).node("Conv", {"p", "wf"}, {"c"});
    const LoweredGraph graph = to_bytes(std::move(model), "c");
    for (const char* const name : {"p", "c"}) {
      EXPECT_EQ(layer_of(graph, name).precision, is_bytes ? "int8" : "") << op << ' ' << name;
    }
    EXPECT_EQ(layer_of(graph, "a").cost, is_bytes ? Cost::free : Cost::measured) << op;
  };
  moved("Pad", {}, true, {"pads"});
  moved("Pad", {}, true, {"pads", "zero"});
  moved("Pad", {{"mode", "reflect"}}, true, {"pads"});
  moved("Pad", {}, false, {"pads", "one"});
  moved("Slice", {}, true, {"from", "to", "axis"});
  moved("SpaceToDepth", {{"blocksize", 2}}, true);
  moved("DepthToSpace", {{"blocksize", 2}}, true);
  moved("Relu", {}, false);
}

TEST(BytesAround, WhatPicksElementsWithScalesOfTheirOwnMovesFloats) {
  Model model(13);
  model.input("ai", {1, 8, 6, 6}, TensorProto::UINT8).scalar("s", 0.1F).weights("as", {8});
  model.integers("from", {1}).integers("to", {5}).integers("axis", {1});
  model.node("DequantizeLinear", {"ai", "as"}, {"a"}, {{"axis", 1}});
  model.node("Slice", {"a", "from", "to", "axis"}, {"p"});
  stored(model, "w", {4, 4, 1, 1}, TensorProto::INT8);
  model.node("DequantizeLinear", {"w", "s"}, {"wf"}).node("Conv", {"p", "wf"}, {"c"});
  EXPECT_EQ(layer_of(model.output("c").import(), "p").precision, "");
}

// An addend for each row is no bias, so that the product is one of floats.
TEST(BytesAround, WhatMovesElementsBeforeAProductOfFloatsMovesFloats) {
  Model model = of_bytes(TensorProto::INT8, 0, {16, 8}, {32, 8}).weights("c", {16, 1});
  model.node("Transpose", {"b"}, {"t"}, {{"perm", Dims{1, 0}}});
  model.node("Gemm", {"a", "t", "c"}, {"m"});
  const LoweredGraph graph = to_bytes(std::move(model), "m");
  for (const char* const name : {"t", "m"}) EXPECT_EQ(layer_of(graph, name).precision, "") << name;
  EXPECT_EQ(layer_of(graph, "b").cost, Cost::measured);
}

TEST(BytesAround, PartsOfASplitStayBytes) {
  Model model = of_bytes(TensorProto::UINT8, 0, {2, 8}, {1});
  model.node("Split", {"a"}, {"p", "q"}, {{"axis", std::int64_t{1}}});
  model.node("QuantizeLinear", {"p", "s", "z"}, {"u"})
      .node("QuantizeLinear", {"q", "s", "z"}, {"v"});
  const LoweredGraph graph = model.output("u").output("v").import();
  EXPECT_EQ(layer_of(graph, "p").precision, "int8");
  for (const char* const free : {"a", "u", "v"}) {
    EXPECT_EQ(layer_of(graph, free).cost, Cost::free) << free;
  }
}

// ONNX Runtime's quantizer converts parts that nobody reads, too.
TEST(BytesAround, PartsThatNobodyReadsAreNoFloats) {
  Model model = of_bytes(TensorProto::UINT8, 0, {2, 8}, {1});
  model.node("Split", {"a"}, {"p", "q"}, {{"axis", std::int64_t{1}}});
  model.node("QuantizeLinear", {"p", "s", "z"}, {"u"})
      .node("QuantizeLinear", {"q", "s", "z"}, {"v"})
      .node("DequantizeLinear", {"v", "s", "z"}, {"w"});
  const LoweredGraph graph = model.output("u").import();
  EXPECT_EQ(layer_of(graph, "p").precision, "int8");
  EXPECT_EQ(layer_of(graph, "u").cost, Cost::free);
}

TEST(BytesAround, AMeanStaysInBytes) {
  Model model = of_bytes(TensorProto::UINT8, 0, {1, 8, 4, 4}, {1});
  model.node("ReduceMean", {"a"}, {"m"}, {{"axes", Dims{2, 3}}});
  EXPECT_EQ(layer_of(to_bytes(std::move(model), "m"), "m").precision, "int8");
}

// 128 x 256 weights times 256 x 64: as their transposes, with the weights second.
TEST(PackedWeights, AsTheFirstOperandKeepTheirType) {
  Model model(21);
  model.input("x", {256, 64});
  stored(model, "w", {128, 256}, 22);
  stored(model, "s", {128, 8}, TensorProto::FLOAT);
  model.node("DequantizeLinear", {"w", "s"}, {"d"},
             {{"axis", std::int64_t{1}}, {"block_size", std::int64_t{32}}});
  const LoweredGraph graph = model.node("MatMul", {"d", "x"}, {"y"}).output("y").import();
  EXPECT_THAT(graph.layers.back().problems, ElementsAre("gemm/m64_n128_k256_tt_w_packed.int4.b32"));
  EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = 1024, .bytes = 128 * 256 / 2}));
}

// One sum of the data for each group.
TEST(Quantized, GroupsOfFiltersWithZeroPointsShareSums) {
  Model model(13);
  model.input("x", {1, 8, 4, 4}, TensorProto::UINT8);
  stored(model, "w", {16, 2, 1, 1}, TensorProto::UINT8);
  model.node("ConvInteger", {"x", "w"}, {"y"}, {{"group", std::int64_t{4}}});
  EXPECT_THAT(
      model.output("y").layer().problems,
      ElementsAre("conv/1x8x4x4_k16x1x1_p0.0.0.0_s1x1_d1x1_g4_u8",
                  "conv/1x8x4x4_k4x1x1_p0.0.0.0_s1x1_d1x1_g4_u8", "sub/1x4x4x4x4_1x4x1x4x4"));
}

// Unsigned weights of a transposed convolution, with zero points that only the model's file knows:
// one sum of the data for each pixel of the result, in each group.
TEST(Quantized, TransposedConvolutionsWithZeroPointsTakeSums) {
  const auto problems = [](std::int64_t groups, std::int64_t axis) {
    Model model(13);
    model.input("xi", {1, 8, 5, 5}, TensorProto::UINT8).scalar("s", 0.1F).weights("ws", {4});
    add_point(model, "z", TensorProto::UINT8, 128);
    stored(model, "w", {8, 4, 2, 2}, TensorProto::UINT8);
    stored(model, "wz", {4}, TensorProto::UINT8);
    model.node("DequantizeLinear", {"xi", "s", "z"}, {"x"});
    model.node("DequantizeLinear", {"w", "ws", "wz"}, {"wf"}, {{"axis", axis}});
    model.node("ConvTranspose", {"x", "wf"}, {"c"}, {{"strides", Dims{2, 2}}, {"group", groups}});
    return layer_of(to_bytes(std::move(model), "c"), "c").problems;
  };
  EXPECT_THAT(problems(1, 1), ElementsAre("deconv/1x8x5x5_k4x2x2_p0.0.0.0_s2x2_d1x1_g1_u8",
                                          "deconv/1x8x5x5_k1x2x2_p0.0.0.0_s2x2_d1x1_g1_u8",
                                          "sub/1x4x10x10_1x1x10x10"));
  EXPECT_THAT(problems(2, 1), ElementsAre("deconv/1x8x5x5_k8x2x2_p0.0.0.0_s2x2_d1x1_g2_u8",
                                          "deconv/1x8x5x5_k2x2x2_p0.0.0.0_s2x2_d1x1_g2_u8",
                                          "sub/1x2x4x10x10_1x2x1x10x10"));
}

// What stands behind a product is in the way of its sums: the weights stay packed.
TEST(Quantized, ZeroPointsBeforeAnotherCallLeaveTheProductToFloats) {
  Model model(13);
  model.input("xi", {3, 16}, TensorProto::UINT8).scalar("s", 0.1F).weights("c", {3, 8});
  add_point(model, "z", TensorProto::UINT8, 100);
  stored(model, "w", {16, 8}, TensorProto::UINT8);
  model.node("DequantizeLinear", {"xi", "s", "z"}, {"x"});
  model.node("DequantizeLinear", {"w", "s", "z"}, {"wf"});
  model.node("Gemm", {"x", "wf", "c"}, {"y"}, {{"beta", 2.0F}});
  const LoweredGraph graph = model.output("y").import();
  const LoweredLayer& gemm = layer_of(graph, "y");
  EXPECT_EQ(gemm.problems.front(), "gemm/m3_n8_k16_nn_w_packed.uint8.z");
  EXPECT_EQ(gemm.precision, "");
  EXPECT_THAT(gemm.reason, HasSubstr("its data, which the file converts from uint8"));
  EXPECT_EQ(layer_of(graph, "x").cost, Cost::measured);
}

TEST(Quantized, AttentionBetweenConversionsIsOfFloats) {
  Model model(23);
  model.scalar("s", 0.1F);
  add_point(model, "z", TensorProto::UINT8, 100);
  for (const std::string name : {"q", "k", "v"}) {
    model.input(name + "i", {1, 2, 6, 8}, TensorProto::UINT8);
    model.node("DequantizeLinear", {name + "i", "s", "z"}, {name});
  }
  model.node("Attention", {"q", "k", "v"}, {"y"});
  const LoweredGraph graph = model.output("y").import();
  EXPECT_EQ(layer_of(graph, "y").cost, Cost::measured) << layer_of(graph, "y").reason;
  EXPECT_EQ(layer_of(graph, "y").precision, "");
}

}  // namespace
}  // namespace benanza::onnx
