// Operators of opsets 24 to 28, which the installed schemas lack, and shapes after subgraph bodies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "generator/onnx/model/tensor.h"
#include "generator/tests/onnx/model.h"

namespace benanza::onnx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::optional<Dims> shape(const LoweredLayer& layer, std::size_t output = 0) {
  return layer.outputs.at(output).shape;
}

TEST(Newer, Swish) {
  Model model(24);
  model.input("x", {2, 3}).node("Swish", {"x"}, {"y"}, {{"alpha", 2.0F}}).output("y");
  EXPECT_THAT(model.layer().problems, ElementsAre("swish/2x3_a2"));
}

TEST(Newer, SwiGluIsASwishAndAProduct) {
  Model model(28);
  model.input("a", {2, 3}).input("b", {2, 3}).node("SwiGLU", {"a", "b"}, {"y"}).output("y");
  EXPECT_THAT(model.layer().problems, ElementsAre("swish/2x3_a1", "mul/2x3_2x3"));
}

TEST(Newer, SpaceToDepthMayPutTheDepthFirst) {
  Model model(28);
  model.input("x", {1, 2, 4, 6});
  model.node("SpaceToDepth", {"x"}, {"y"}, {{"blocksize", 2}, {"mode", "CRD"}}).output("y");
  // Element (c, dy, dx, y, x) is at 24 c + 6 (2 y + dy) + 2 x + dx.
  EXPECT_THAT(model.layer().problems, ElementsAre("copy/2x2x2x2x3_f24.6.1.12.2_t24.12.6.3.1"));
  EXPECT_EQ(shape(model.layer()), (Dims{1, 8, 2, 3}));
}

TEST(Newer, ACacheTakesRows) {
  Model model(24);
  model.input("cache", {2, 4, 16, 8}).input("new", {2, 4, 1, 8});
  model.node("TensorScatter", {"cache", "new"}, {"y"}).output("y");
  EXPECT_EQ(model.layer().cost, Cost::movement);
  EXPECT_EQ(shape(model.layer()), (Dims{2, 4, 16, 8}));
}

TEST(Newer, LinearAttention) {
  // 4 heads of queries share 2 heads of keys, of size 8, and values, of size 16.
  Model model(27);
  model.input("q", {2, 5, 32}).input("k", {2, 5, 16}).input("v", {2, 5, 32});
  model.node("LinearAttention", {"q", "k", "v"}, {"y", "state"},
             {{"q_num_heads", 4}, {"kv_num_heads", 2}});
  const LoweredLayer layer = model.output("y").output("state").layer();
  EXPECT_EQ(shape(layer), (Dims{2, 5, 64}));
  EXPECT_EQ(shape(layer, 1), (Dims{2, 2, 8, 16}));
  EXPECT_EQ(layer.cost, Cost::unsupported);
  EXPECT_THAT(layer.reason, HasSubstr("recurrence over 5 tokens"));
}

TEST(Newer, CausalConvolution) {
  Model model(27);
  model.input("x", {2, 6, 9}).weights("w", {6, 1, 4});
  model.node("CausalConvWithState", {"x", "w"}, {"y", "state"}).output("y").output("state");
  EXPECT_EQ(shape(model.layer()), (Dims{2, 6, 9}));
  EXPECT_EQ(shape(model.layer(), 1), (Dims{2, 6, 3}));
}

TEST(Newer, TheAxisOfAFourierTransformIsAnInput) {
  Model model(20);
  model.input("x", {1, 10, 12, 1}).node("DFT", {"x"}, {"y"}, {{"onesided", 1}}).output("y");
  EXPECT_EQ(shape(model.layer()), (Dims{1, 10, 7, 2})) << "the last axis but one";
  Model older(17);
  older.input("x", {1, 10, 12, 1}).node("DFT", {"x"}, {"y"}, {{"onesided", 1}}).output("y");
  EXPECT_EQ(shape(older.layer()), (Dims{1, 6, 12, 2})) << "axis 1";
}

// A row of 12 real points times a matrix with two columns for each of 7 points. Points that are not
// the last axis are brought there, and back.
TEST(Newer, AFourierTransformIsAProduct) {
  const auto transform = [](const Dims& dims, bool onesided, bool inverse) {
    Model model(17);
    model.input("x", dims).node("DFT", {"x"}, {"y"},
                                {{"onesided", onesided ? 1 : 0}, {"inverse", inverse ? 1 : 0}});
    return model.output("y").layer();
  };
  const LoweredLayer rows = transform({5, 12, 1}, true, false);
  EXPECT_EQ(rows.cost, Cost::measured) << rows.reason;
  EXPECT_THAT(rows.problems, ElementsAre("gemm/m5_n14_k12_nn_w"));
  EXPECT_EQ(rows.calls[0].operands[1],
            (Source{.kind = Source::Kind::attribute, .index = Source::unstated}));
  EXPECT_THAT(transform({5, 12, 2}, false, true).problems, ElementsAre("gemm/m5_n24_k24_nn_w"));
  EXPECT_THAT(transform({5, 7, 2}, true, true).problems, ElementsAre("gemm/m5_n12_k14_nn_w"));
  EXPECT_THAT(transform({5, 12, 3, 1}, true, false).problems,
              ElementsAre("copy/5x3x12_f36.1.3_t36.12.1", "gemm/m15_n14_k12_nn_w",
                          "copy/5x7x3x2_f42.2.14.1_t42.6.2.1"));
  EXPECT_THAT(transform({1, 8192, 1}, false, false).reason, HasSubstr("8192 points"));
}

// 3 frames of 8 points, 4 apart, in each of 2 signals of 16. Frames side by side are rows.
TEST(Newer, AShortTimeFourierTransformIsAConvolution) {
  Model model(17);
  model.input("x", {2, 16, 1}).input("w", {8}).weights("fixed", {8});
  model.integers("step", {4}).integers("length", {8});
  const auto layer = [&](const char* window) {
    return Model(model).node("STFT", {"x", "step", window, "length"}, {"y"}).output("y").layer();
  };
  EXPECT_EQ(shape(layer("")), (Dims{2, 3, 5, 2}));
  const auto convolution =
      ElementsAre("conv/2x1x16_k10x8_p0.0_s4_d1_g1", "copy/2x3x10_f30.1.3_t30.10.1");
  EXPECT_THAT(layer("").problems, convolution);
  EXPECT_THAT(layer("fixed").problems, convolution);
  EXPECT_THAT(layer("w").problems,
              ElementsAre("copy/2x3x8_f16.4.1_t24.8.1", "mul/6x8x1_1x8x1", "gemm/m6_n10_k8_nn_w"))
      << "a window that may change";
  model.integers("apart", {8});
  EXPECT_THAT(model.node("STFT", {"x", "apart", "", "length"}, {"y"}).output("y").layer().problems,
              ElementsAre("gemm/m4_n10_k8_nn_w"));
}

TEST(Newer, BitsUnderAnotherType) {
  Model model(26);
  model.input("x", {2, 3}).node("BitCast", {"x"}, {"y"}, {{"to", ::onnx::TensorProto::INT32}});
  const LoweredLayer layer = model.output("y").layer();
  EXPECT_EQ(layer.cost, Cost::free);
  EXPECT_EQ(layer.outputs[0].type, "int32");
  EXPECT_EQ(shape(layer), (Dims{2, 3}));
}

TEST(Newer, TypesHaveNames) {
  EXPECT_EQ(type_name(17), "float8e4m3fn");
  EXPECT_EQ(type_name(22), "int4");
  EXPECT_EQ(type_name(27), "unknown");
  EXPECT_EQ(type_name(std::numeric_limits<int>::min()), "unknown");
  EXPECT_EQ(type_bytes(19), 1);
  EXPECT_EQ(type_bytes(22), 0) << "half a byte";
}

::onnx::ValueInfoProto value(const std::string& name, int type, const Dims& dims) {
  ::onnx::ValueInfoProto info;
  info.set_name(name);
  auto& tensor = *info.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  tensor.mutable_shape();
  for (const std::int64_t extent : dims) tensor.mutable_shape()->add_dim()->set_dim_value(extent);
  return info;
}

TEST(Bodies, ALoopOfKnownLengthCollectsThatMany) {
  for (const bool stops : {false, true}) {
    Model model(16);
    model.integers("rounds", {7}).input("x", {2, 3});
    model.node("Loop", {"rounds", "", "x"}, {"last", "all"});
    auto& body = body_of(model, "body");
    *body.add_input() = value("i", ::onnx::TensorProto::INT64, {});
    *body.add_input() = value("go", ::onnx::TensorProto::BOOL, {});
    *body.add_input() = value("state", ::onnx::TensorProto::FLOAT, {2, 3});
    add_node(body, stops ? "IsNaN" : "Identity", {stops ? "state" : "go"}, "go_on");
    add_node(body, "Relu", {"state"}, "next");
    add_node(body, "Identity", {"next"}, "row");
    *body.add_output() = value("go_on", ::onnx::TensorProto::BOOL, {});
    *body.add_output() = value("next", ::onnx::TensorProto::FLOAT, {2, 3});
    *body.add_output() = value("row", ::onnx::TensorProto::FLOAT, {2, 3});
    const LoweredLayer layer = model.output("last").output("all").layer();
    EXPECT_EQ(shape(layer, stops ? 1 : 0), (Dims{7, 2, 3}));
    EXPECT_EQ(layer.assumed, stops ? "all:0=7" : "") << "at most";
    EXPECT_EQ(layer.op, stops ? "Loop" : "Concat");
    EXPECT_EQ(layer.cost, stops ? Cost::unsupported : Cost::movement);
  }
}

TEST(Bodies, AScanGoesAlongItsSequence) {
  Model model(16);
  model.input("x", {2, 3}).input("s", {4, 9, 5});
  model.node(
      "Scan", {"x", "s"}, {"last", "all"},
      {{"num_scan_inputs", 1}, {"scan_input_axes", Dims{1}}, {"scan_output_axes", Dims{-1}}});
  auto& body = body_of(model, "body");
  *body.add_input() = value("state", ::onnx::TensorProto::FLOAT, {2, 3});
  *body.add_input() = value("row", ::onnx::TensorProto::FLOAT, {4, 5});
  add_node(body, "Relu", {"state"}, "next");
  add_node(body, "Relu", {"row"}, "made");
  *body.add_output() = value("next", ::onnx::TensorProto::FLOAT, {2, 3});
  *body.add_output() = value("made", ::onnx::TensorProto::FLOAT, {4, 5});
  const LoweredLayer layer = model.output("last").output("all").layer();
  EXPECT_EQ(shape(layer, 0), (Dims{4, 5, 9}));
}

}  // namespace
}  // namespace benanza::onnx
