// Extreme numbers in models: each must be checked before it is used in computations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/base/error.h"
#include "generator/tests/onnx/model.h"

namespace benanza::onnx {
namespace {

using testing::HasSubstr;

constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

std::string refusal(const Model& model) {
  try {
    model.import();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

Model conv(Attributes attributes) {
  return Model(13)
      .input("x", {1, 2, 8, 8})
      .weights("w", {2, 2, 3, 3})
      .node("Conv", {"x", "w"}, {"y"}, attributes)
      .output("y");
}

TEST(Extreme, Windows) {
  EXPECT_THAT(refusal(conv({{"group", huge}})), HasSubstr("groups do not fit"));
  EXPECT_THAT(refusal(conv({{"strides", Dims{huge, 1}}})), HasSubstr("must be 1 to 1048576"));
  EXPECT_THAT(refusal(conv({{"pads", Dims{0, 0, 1 << 30, 0}}})), HasSubstr("at most 1048576"));
}

TEST(Extreme, NotANumber) {
  Model model(13);
  model.input("x", {2}).node("LeakyRelu", {"x"}, {"y"}, {{"alpha", std::nanf("")}}).output("y");
  EXPECT_THAT(refusal(model), HasSubstr("\"alpha\" is not a number"));
  Model clip(13);
  clip.input("x", {2}).scalar("least", std::nanf("")).node("Clip", {"x", "least"}, {"y"});
  EXPECT_THAT(clip.output("y").layer().reason, HasSubstr("\"least\" is not a number"));
}

TEST(Extreme, InfiniteFactors) {
  Model model(13);
  constexpr float infinite = std::numeric_limits<float>::infinity();
  model.input("x", {2}).node("LeakyRelu", {"x"}, {"y"}, {{"alpha", infinite}});
  EXPECT_THAT(model.output("y").layer().reason, HasSubstr("a<finite number>"));
}

TEST(Extreme, GroupsOfNoChannels) {
  Model model(18);
  model.input("x", {1, 2, 4}).weights("none", {0}).integers("nowhere", {});
  model.node("Gather", {"x", "nowhere"}, {"n"}, {{"axis", std::int64_t{1}}});
  model.node("GroupNormalization", {"n", "none", "none"}, {"y"}, {{"num_groups", std::int64_t{1}}});
  EXPECT_EQ(model.output("y").layer().reason, "its result is empty");
}

TEST(Extreme, SumsOfNothingAreZeros) {
  const auto cost = [](const std::string& op) {
    Model model(13);
    model.input("x", {2, 0, 4}).integers("axes", {1});
    if (op == "ReduceSum") {
      model.node(op, {"x", "axes"}, {"y"});
    } else {
      model.node(op, {"x"}, {"y"}, {{"axes", Dims{1}}});
    }
    return model.output("y").layer().cost;
  };
  EXPECT_EQ(cost("ReduceSum"), Cost::free);
  EXPECT_EQ(cost("ReduceMax"), Cost::unsupported);
}

TEST(Extreme, PixelsOfAResize) {
  Model model(13);
  model.input("x", {1, 1, 2, 2}).integers("sizes", {1, 1, 2, 1 << 30});
  model.node("Resize", {"x", "", "", "sizes"}, {"y"}).output("y");
  EXPECT_THAT(model.layer().reason, HasSubstr("1073741824 pixels"));
}

TEST(Extreme, Blocks) {
  Model model(13);
  model.input("x", {1, 4, 2, 2});
  model.node("DepthToSpace", {"x"}, {"y"}, {{"blocksize", std::int64_t{1} << 32}}).output("y");
  EXPECT_THAT(refusal(model), testing::Not("accepted"));
}

/// A tensor whose extents are the result of `node` for the shape (2, 3, 4).
LoweredLayer filled(const std::string& op, const std::vector<std::string>& inputs, const Dims& a,
                    const Dims& b = {0}, const Dims& c = {0}, Attributes attributes = {}) {
  Model model(13);
  model.input("x", {2, 3, 4}).integers("a", a).integers("b", b).integers("c", c);
  model.node("Shape", {"x"}, {"s"}).node(op, inputs, {"extents"}, attributes);
  return model.node("ConstantOfShape", {"extents"}, {"y"}).output("y").layer();
}

TEST(Extreme, StepsOfASlice) {
  const LoweredLayer forward = filled("Slice", {"s", "a", "b", "", "c"}, {1}, {huge}, {huge});
  EXPECT_EQ(forward.outputs[0].shape, (Dims{3}));
  const LoweredLayer backward = filled("Slice", {"s", "a", "b", "", "c"}, {-1}, {-huge},
                                       {std::numeric_limits<std::int64_t>::min()});
  EXPECT_EQ(backward.outputs[0].shape, (Dims{4}));
  EXPECT_THROW(filled("Slice", {"s", "a", "b", "c"}, {0, 0}, {1, 1}, {0, 0}), Error);
}

TEST(Extreme, IndicesBeyondTheTensor) {
  EXPECT_EQ(filled("Gather", {"s", "a"}, {-1, 0}).outputs[0].shape, (Dims{4, 2}));
  EXPECT_THROW(filled("Gather", {"s", "a"}, {3}), Error);
  EXPECT_THROW(filled("GatherElements", {"s", "a"}, {-huge}), Error);
}

TEST(Extreme, SumsThatNoIntegerHoldsAreUnknown) {
  EXPECT_EQ(filled("Add", {"s", "a"}, {1}).outputs[0].shape, (Dims{3, 4, 5}));
  EXPECT_EQ(filled("Add", {"s", "a"}, {huge}).outputs[0].shape, std::nullopt);
}

/// Every function calls the next one twice; the last one is empty.
Model doubling(int functions) {
  Model model(13);
  model.domain("own", 1).input("x", {2});
  model.node("f0", {"x"}, {""}).last().set_domain("own");
  for (int index = 0; index < functions; ++index) {
    auto& function = *model.proto().add_functions();
    function.set_domain("own");
    function.set_name(std::string("f") + std::to_string(index));
    function.add_input("a");
    for (int call = 0; index + 1 < functions && call < 2; ++call) {
      auto& node = *function.add_node();
      node.set_domain("own");
      node.set_op_type(std::string("f") + std::to_string(index + 1));
      node.add_input("a");
    }
  }
  return model.node("Relu", {"x"}, {"z"}).output("z");
}

TEST(Extreme, FunctionsThatNeverEnd) {
  EXPECT_EQ(doubling(4).import().layers.size(), 1U);
  EXPECT_THAT(refusal(doubling(40)), HasSubstr("more than 65536 calls"));
  EXPECT_THAT(refusal(doubling(100)), HasSubstr("deep"));
}

TEST(Extreme, ConstantsThatDoNotFillTheirShape) {
  // onnx's inference accepts the target of a Reshape unchecked.
  Model model(13);
  model.input("x", {2}).integers("six", {1, 2, 3, 4, 5, 6}).integers("target", {7});
  model.node("Reshape", {"six", "target"}, {"seven"});
  model.node("ConstantOfShape", {"seven"}, {"y"}).output("y");
  EXPECT_THAT(refusal(model), HasSubstr("do not fill 7"));
}

}  // namespace
}  // namespace benanza::onnx
