// Images of ONNX Runtime whose channels come last, and its normalization of groups.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "generator/tests/onnx/stored.h"

namespace benanza::onnx {
namespace {

using ::onnx::TensorProto;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

Model images() {
  Model model(21);
  return model.domain("com.microsoft", 1);
}

std::vector<bool> proxies(const LoweredLayer& layer) {
  std::vector<bool> found;
  for (const Call& call : layer.calls) found.push_back(call.is_proxy);
  return found;
}

TEST(ChannelsLast, AConvolutionIsThatOfOnnx) {
  Model model = images().input("x", {1, 8, 9, 3}).weights("w", {4, 3, 3, 2}).weights("b", {4});
  add_microsoft(model, "NhwcConv", {"x", "w", "b"}, {"y"}, {{"strides", Dims{2, 1}}});
  const LoweredLayer layer = model.output("y").layer();
  EXPECT_THAT(layer.problems,
              ElementsAre("conv/1x3x8x9_k4x3x2_p0.0.0.0_s2x1_d1x1_g1", "add/1x4x3x8_1x4x1x1_w"))
      << layer.reason;
  EXPECT_EQ(layer.outputs[0].shape, (Dims{1, 3, 8, 4}));
  EXPECT_THAT(proxies(layer), Each(true)) << "elements in another order";
}

// ONNX Runtime's optimizer turns the filters, too.
TEST(ChannelsLast, FiltersMayHaveTheirChannelsLast) {
  const auto conv = [](const Dims& image, const Dims& filters, const Dims& kernel) {
    Model model = images().input("x", image).weights("w", filters);
    add_microsoft(model, "NhwcConv", {"x", "w"}, {"y"}, {{"kernel_shape", kernel}});
    return model.output("y").layer();
  };
  const LoweredLayer turned = conv({1, 8, 9, 16}, {4, 3, 2, 16}, {3, 2});
  EXPECT_THAT(turned.problems, ElementsAre("conv/1x16x8x9_k4x3x2_p0.0.0.0_s1x1_d1x1_g1"))
      << turned.reason;
  EXPECT_EQ(turned.outputs[0].shape, (Dims{1, 6, 8, 4}));
  // Both orders have three channels: the window tells.
  EXPECT_THAT(conv({1, 8, 9, 3}, {4, 3, 5, 3}, {3, 5}).problems,
              ElementsAre("conv/1x3x8x9_k4x3x5_p0.0.0.0_s1x1_d1x1_g1"));
  EXPECT_THAT(conv({1, 8, 9, 3}, {4, 3, 5, 3}, {5, 3}).problems,
              ElementsAre("conv/1x3x8x9_k4x5x3_p0.0.0.0_s1x1_d1x1_g1"));
}

TEST(ChannelsLast, AFusedConvolutionAddsAnImage) {
  Model model = images().input("x", {2, 4, 5, 6}).input("z", {2, 4, 5, 8});
  model.weights("w", {8, 3, 1, 1});
  add_microsoft(model, "NhwcFusedConv", {"x", "w", "", "z"}, {"y"},
                {{"group", 2}, {"activation", "Relu"}});
  EXPECT_THAT(model.output("y").layer().problems,
              ElementsAre("conv/2x6x4x5_k8x1x1_p0.0.0.0_s1x1_d1x1_g2", "add/2x8x4x5_2x8x4x5",
                          "relu/2x8x4x5"));
}

TEST(ChannelsLast, AFunctionThatNobodyKnowsIsNamed) {
  Model model = images().input("x", {1, 4, 4, 3}).weights("w", {8, 3, 1, 1});
  add_microsoft(model, "NhwcFusedConv", {"x", "w"}, {"y"}, {{"activation", "Spike"}});
  const LoweredGraph graph = model.output("y").import();
  EXPECT_EQ(graph.layers[0].cost, Cost::unsupported);
  EXPECT_THAT(graph.layers[0].reason, HasSubstr("Spike"));
  EXPECT_EQ(graph.compulsory.weights.elements, 24);
}

TEST(ChannelsLast, PoolingOfBytes) {
  Model model = images().input("x", {1, 8, 9, 3}, TensorProto::UINT8);
  add_microsoft(model, "NhwcMaxPool", {"x"}, {"y"},
                {{"kernel_shape", Dims{2, 3}}, {"strides", Dims{2, 3}}});
  const LoweredLayer layer = model.output("y").layer();
  EXPECT_THAT(layer.problems, ElementsAre("maxpool/1x3x8x9_k2x3_p0.0.0.0_s2x3_d1x1"))
      << layer.reason;
  EXPECT_EQ(layer.outputs[0].shape, (Dims{1, 4, 3, 3}));
  EXPECT_EQ(layer.outputs[0].type, "uint8");
}

LoweredLayer of_bytes(const std::string& op, Attributes attributes) {
  Model model = images().input("x", {1, 8, 9, 3}, TensorProto::UINT8).scalar("s", 0.5F);
  stored(model, "z", {}, TensorProto::UINT8);
  stored(model, "w", {4, 3, 3, 3}, TensorProto::INT8);
  std::vector<std::string> inputs{"x", "s", "z"};
  if (op == "QLinearConv") inputs.insert(inputs.end(), {"w", "s", ""});
  inputs.insert(inputs.end(), {"s", "z"});
  add_microsoft(model, op, inputs, {"y"}, attributes);
  return model.output("y").layer();
}

TEST(ChannelsLast, QuantizedOperatorsAreThoseOfOnnx) {
  const LoweredLayer conv = of_bytes("QLinearConv", {{"channels_last", 1}});
  EXPECT_THAT(conv.problems, ElementsAre("conv/1x3x8x9_k4x3x3_p0.0.0.0_s1x1_d1x1_g1_u8"));
  EXPECT_EQ(conv.outputs[0].shape, (Dims{1, 6, 7, 4}));
  EXPECT_EQ(conv.precision, "int8");
  const LoweredLayer pool =
      of_bytes("QLinearAveragePool", {{"channels_last", 1}, {"kernel_shape", Dims{2, 3}}});
  EXPECT_THAT(pool.problems, ElementsAre("avgpool/1x3x8x9_k2x3_p0.0.0.0_s1x1_d1x1_exclude"));
  EXPECT_EQ(pool.outputs[0].shape, (Dims{1, 7, 7, 3}));
  const LoweredLayer all = of_bytes("QLinearGlobalAveragePool", {{"channels_last", 1}});
  EXPECT_THAT(all.problems, ElementsAre("avgpool/1x3x8x9_k8x9_p0.0.0.0_s1x1_d1x1_exclude"));
  EXPECT_EQ(all.outputs[0].shape, (Dims{1, 1, 1, 3}));
  EXPECT_THAT(proxies(all), ElementsAre(true));
}

// As ONNX Runtime saves what it has optimized for providers that want this order.
TEST(ChannelsLast, TheInternalDomainHasTheStandardOperators) {
  const std::string domain = "com.ms.internal.nhwc";
  const auto of = [&](Model model, Attributes attributes, const std::string& op,
                      const std::vector<std::string>& inputs) {
    model.node(op, inputs, {"y"}, attributes).last().set_domain(domain);
    return model.output("y").layer();
  };
  const auto image = [&] {
    Model model = images().domain(domain, 11);
    return model.input("x", {1, 8, 8, 16}).weights("w", {32, 16, 3, 3});
  };
  const LoweredLayer conv = of(image(), {{"pads", Dims{1, 1, 1, 1}}}, "Conv", {"x", "w"});
  EXPECT_THAT(conv.problems, ElementsAre("conv/1x16x8x8_k32x3x3_p1.1.1.1_s1x1_d1x1_g1"));
  EXPECT_EQ(conv.outputs[0].shape, (Dims{1, 8, 8, 32}));
  const LoweredLayer pool =
      of(image(), {{"kernel_shape", Dims{2, 2}}, {"strides", Dims{2, 2}}}, "MaxPool", {"x"});
  EXPECT_EQ(pool.outputs[0].shape, (Dims{1, 4, 4, 16}));
  EXPECT_EQ(pool.problems.size(), 1);
  const LoweredLayer mean = of(image(), {}, "GlobalAveragePool", {"x"});
  EXPECT_EQ(mean.outputs[0].shape, (Dims{1, 1, 1, 16}));
  EXPECT_EQ(mean.problems.size(), 1);

  Model bytes = images().domain(domain, 11).input("x", {1, 8, 8, 16}, TensorProto::UINT8);
  stored(bytes, "w", {32, 16, 3, 3}, TensorProto::INT8);
  stored(bytes, "z", {}, TensorProto::UINT8);
  stored(bytes, "zw", {}, TensorProto::INT8);
  bytes.scalar("s", 0.5F);
  const LoweredLayer quantized =
      of(bytes, {}, "QLinearConv", {"x", "s", "z", "w", "s", "zw", "s", "z"});
  EXPECT_EQ(quantized.cost, Cost::measured) << quantized.reason;
  EXPECT_EQ(quantized.outputs[0].shape, (Dims{1, 6, 6, 32}));
  EXPECT_EQ(quantized.precision, "int8");
}

TEST(ChannelsLast, GroupsAreNormalizedAndScaledByChannel) {
  Model model = images().input("x", {2, 4, 5, 6}).weights("g", {6}).weights("b", {6});
  Model first = model;
  add_microsoft(model, "GroupNorm", {"x", "g", "b"}, {"y"}, {{"groups", 3}, {"activation", 1}});
  const LoweredLayer layer = model.output("y").layer();
  // 6 channels in 3 groups of 2; 20 pixels.
  EXPECT_THAT(layer.problems, ElementsAre("instancenorm/2x3x2x20_e1e-05", "mul/2x6x20_1x6x1_w",
                                          "add/2x6x20_1x6x1_w", "swish/2x6x4x5_a1"))
      << layer.reason;
  EXPECT_THAT(proxies(layer), Each(true));
  add_microsoft(first, "GroupNorm", {"x", "g", "b"}, {"y"},
                {{"groups", 2}, {"channels_last", 0}, {"activation", 0}, {"epsilon", 0.5F}});
  EXPECT_THROW(first.output("y").layer(), Error) << "scales of 6 do not fit 4 channels";
}

TEST(ChannelsLast, GroupsOfImagesWithChannelsSecondKeepTheirOrder) {
  Model model = images().input("x", {2, 6, 4, 5}).weights("g", {6}).weights("b", {6});
  add_microsoft(model, "GroupNorm", {"x", "g", "b"}, {"y"},
                {{"groups", 3}, {"channels_last", 0}, {"activation", 0}, {"epsilon", 0.5F}});
  const LoweredLayer layer = model.output("y").layer();
  EXPECT_THAT(layer.problems, ElementsAre("instancenorm/2x3x2x20_e0.5", "mul/2x6x20_1x6x1_w",
                                          "add/2x6x20_1x6x1_w"));
  EXPECT_THAT(proxies(layer), Each(false));
}

TEST(ChannelsLast, ASkippedSumIsNormalizedByGroups) {
  const auto skip = [](const Dims& extents) {
    Model model = images().input("x", {2, 4, 5, 6}).input("s", extents);
    model.weights("g", {6}).weights("b", {6}).weights("c", {6});
    add_microsoft(model, "SkipGroupNorm", {"x", "g", "b", "s", "c"}, {"y", "sum"},
                  {{"groups", 3}, {"activation", 0}});
    return model.output("y").output("sum").layer();
  };
  const LoweredLayer whole = skip({2, 4, 5, 6});
  EXPECT_THAT(whole.problems, ElementsAre("add/2x6x4x5_2x6x4x5", "add/2x6x4x5_1x6x1x1_w",
                                          "instancenorm/2x3x2x20_e1e-05", "mul/2x6x20_1x6x1_w",
                                          "add/2x6x20_1x6x1_w"))
      << whole.reason;
  EXPECT_EQ(whole.calls[1].output, 1);
  EXPECT_EQ(whole.outputs[1].shape, (Dims{2, 4, 5, 6}));
  EXPECT_EQ(skip({2, 1, 1, 6}).problems[0], "add/2x6x4x5_2x6x1x1");
  EXPECT_EQ(skip({2, 6}).problems[0], "add/2x6x4x5_2x6x1x1");
}

}  // namespace
}  // namespace benanza::onnx
