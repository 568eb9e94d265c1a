// Data movement, free operators, and operators that no library supports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "generator/tests/onnx/model.h"

namespace benanza::onnx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

LoweredLayer unary_9(const std::string& op, const Dims& input, Attributes attributes = {},
                     int opset = 9) {
  return Model(opset).input("x", input).node(op, {"x"}, {"y"}, attributes).output("y").layer();
}

TEST(Concat, JoinsOrIsFree) {
  Model model(13);
  model.input("a", {1, 64, 28, 28}).input("b", {1, 32, 28, 28});
  const LoweredLayer layer =
      Model(model).node("Concat", {"a", "b"}, {"y"}, {{"axis", -3}}).output("y").layer();
  EXPECT_EQ(layer.cost, Cost::movement);
  EXPECT_THAT(layer.problems, ElementsAre("concat/1x64x28x28_1x32x28x28_a1"));
  EXPECT_EQ(layer.bytes, 2 * 96 * 28 * 28 * 4) << "read once, written once";
  EXPECT_EQ(Model(model).node("Concat", {"a"}, {"y"}, {{"axis", 1}}).output("y").layer().cost,
            Cost::free);
}

TEST(Slice, AttributesBeforeOpset10InputsAfter) {
  const LoweredLayer old =
      unary_9("Slice", {4, 10}, {{"starts", Dims{1}}, {"ends", Dims{3}}, {"axes", Dims{1}}});
  EXPECT_THAT(old.problems, ElementsAre("copy/4x2_f10.1_t2.1"));
  EXPECT_EQ(old.calls[0].from_offset, 1);
  const LoweredLayer layer = Model(13)
                                 .input("x", {4, 10})
                                 .integers("s", {-9})
                                 .integers("e", {1000})
                                 .integers("a", {-1})
                                 .integers("st", {2})
                                 .node("Slice", {"x", "s", "e", "a", "st"}, {"y"})
                                 .output("y")
                                 .layer();
  EXPECT_THAT(layer.problems, ElementsAre("copy/20_f2_t1"));
  EXPECT_EQ(layer.outputs[0].shape, (Dims{4, 5}));
  EXPECT_EQ(layer.calls[0].from_offset, 1);
}

TEST(Slice, WholeIsFreeAndUnknownIsUnsupported) {
  EXPECT_EQ(unary_9("Slice", {4}, {{"starts", Dims{0}}, {"ends", Dims{9}}}).cost, Cost::free);
  Model model(13);
  model.input("x", {4}).integers("e", {-9}).input("t", {1}, ::onnx::TensorProto::INT64);
  EXPECT_EQ(model.node("Slice", {"x", "t", "e"}, {"y"}).output("y").layer().cost,
            Cost::unsupported);
}

// Elements 9, 7, 5, 3, 1 of each row are moved as 1, 3, 5, 7, 9 are.
TEST(Slice, BackwardsMovesTheSameElementsInTheirOrder) {
  const auto backwards = [](std::int64_t start, std::int64_t step) {
    return Model(13)
        .input("x", {4, 10})
        .integers("s", {start})
        .integers("e", {-100})
        .integers("a", {1})
        .integers("st", {step})
        .node("Slice", {"x", "s", "e", "a", "st"}, {"y"})
        .output("y")
        .layer();
  };
  const LoweredLayer layer = backwards(9, -2);
  EXPECT_EQ(layer.cost, Cost::movement);
  EXPECT_EQ(layer.outputs[0].shape, (Dims{4, 5}));
  EXPECT_THAT(layer.problems, ElementsAre("copy/20_f2_t1"));
  EXPECT_EQ(layer.calls[0].from_offset, 1);
  EXPECT_TRUE(layer.calls[0].is_proxy);
  const LoweredLayer all = backwards(-1, -1);
  EXPECT_EQ(all.cost, Cost::movement) << "all elements, in another order";
  EXPECT_THAT(all.problems, ElementsAre("copy/40_f1_t1"));
  const LoweredLayer one = backwards(0, -1);
  EXPECT_EQ(one.outputs[0].shape, (Dims{4, 1}));
  EXPECT_FALSE(one.calls[0].is_proxy) << "there is no order of one";
}

TEST(Split, ACopyPerPartThatSomebodyReads) {
  Model model(11);
  model.input("x", {2, 6})
      .node("Split", {"x"}, {"a", "b"}, {{"axis", 1}, {"split", Dims{2, 4}}})
      .output("a")
      .output("b");
  const LoweredLayer layer = model.layer();
  EXPECT_EQ(layer.cost, Cost::movement);
  EXPECT_THAT(layer.problems, ElementsAre("copy/2x2_f6.1_t2.1", "copy/2x4_f6.1_t4.1"));
  EXPECT_EQ(layer.calls[1].from_offset, 2);
  EXPECT_EQ(layer.calls[1].output, 1);
  const LoweredLayer half = Model(13)
                                .input("x", {2, 6})
                                .node("Split", {"x"}, {"a", "b"}, {{"axis", -1}})
                                .output("b")
                                .layer();
  EXPECT_THAT(half.problems, ElementsAre("copy/2x3_f6.1_t3.1"));
  EXPECT_EQ(half.calls[0].from_offset, 3);
}

TEST(Transpose, MovesOrOnlyRenamesAxes) {
  EXPECT_THAT(unary_9("Transpose", {2, 3, 4}).problems, ElementsAre("copy/4x3x2_f1.4.12_t6.2.1"));
  EXPECT_THAT(unary_9("Transpose", {2, 3, 4}, {{"perm", Dims{1, 0, 2}}}).problems,
              ElementsAre("copy/3x2x4_f4.12.1_t8.4.1"));
  EXPECT_EQ(unary_9("Transpose", {2, 3}, {{"perm", Dims{0, 1}}}).cost, Cost::free);
  EXPECT_EQ(unary_9("Transpose", {2, 1, 3}, {{"perm", Dims{1, 0, 2}}}).cost, Cost::free);
}

TEST(Pad, CopiesTheInterior) {
  const LoweredLayer layer = unary_9("Pad", {2, 3}, {{"pads", Dims{0, 1, 0, 2}}});
  EXPECT_THAT(layer.problems, ElementsAre("copy/2x3_f3.1_t6.1"));
  EXPECT_EQ(layer.calls[0].to_offset, 1);
  const LoweredLayer cut = unary_9("Pad", {2, 5}, {{"pads", Dims{0, -1, 0, 0}}});
  EXPECT_THAT(cut.problems, ElementsAre("copy/2x4_f5.1_t4.1"));
  EXPECT_EQ(cut.calls[0].from_offset, 1);
  EXPECT_EQ(unary_9("Pad", {2, 3}, {{"pads", Dims{0, 0, 0, 0}}}).cost, Cost::free);
  const LoweredLayer border =
      unary_9("Pad", {2, 3}, {{"pads", Dims{1, 1, 1, 1}}, {"mode", "reflect"}});
  EXPECT_THAT(border.problems, ElementsAre("copy/2x3_f3.1_t5.1"));
  EXPECT_TRUE(border.calls[0].is_proxy) << "the border is missing";
}

TEST(Free, WhatOnlyRenames) {
  for (const char* op : {"Identity", "Flatten", "Squeeze"}) {
    const LoweredLayer layer = unary_9(op, {1, 2, 3});
    EXPECT_EQ(layer.cost, Cost::free) << op;
    EXPECT_FALSE(layer.reason.empty()) << op;
    EXPECT_EQ(layer.flops, 0) << op;
    EXPECT_EQ(layer.bytes, 0) << op;
    EXPECT_THAT(layer.calls, IsEmpty()) << op;
  }
  EXPECT_EQ(unary_9("Unsqueeze", {2}, {{"axes", Dims{0}}}).cost, Cost::free);
}

// Training's dropout can be measured; inference does not run it.
TEST(Free, DropoutIsAProblemThatCostsNothing) {
  const LoweredLayer layer = unary_9("Dropout", {1, 2, 3}, {{"ratio", 0.25F}}, 7);
  EXPECT_EQ(layer.cost, Cost::free);
  EXPECT_THAT(layer.problems, ElementsAre("dropout/1x2x3_r0.25"));
  EXPECT_EQ(layer.flops, 0);
  EXPECT_EQ(layer.bytes, 0);
  Model model(13);
  model.input("x", {2, 3}).scalar("ratio", 0.1F).input("late", {});
  EXPECT_THAT(model.node("Dropout", {"x", "ratio"}, {"y"}).output("y").layer().problems,
              ElementsAre("dropout/2x3_r0.1"));
  EXPECT_THAT(model.node("Dropout", {"x"}, {"z"}).output("z").layer().problems,
              ElementsAre("dropout/2x3_r0.5"));
  const LoweredLayer late = model.node("Dropout", {"x", "late"}, {"u"}).output("u").layer();
  EXPECT_EQ(late.cost, Cost::free);
  EXPECT_THAT(late.calls, IsEmpty());
}

TEST(Free, CastToTheSameTypeOnly) {
  EXPECT_EQ(unary_9("Cast", {2}, {{"to", ::onnx::TensorProto::FLOAT}}).cost, Cost::free);
  const LoweredLayer layer = unary_9("Cast", {2}, {{"to", ::onnx::TensorProto::FLOAT16}});
  EXPECT_EQ(layer.cost, Cost::movement);
  EXPECT_EQ(key(layer.calls.at(0).problem), "copy/2_f1_t1");
  EXPECT_TRUE(layer.calls[0].is_proxy);
  EXPECT_EQ(unary_9("Cast", {2}, {{"to", ::onnx::TensorProto::STRING}}).cost, Cost::unsupported);
}

TEST(Free, WhatFollowsFromConstantsAndShapes) {
  Model model(13);
  model.input("x", {2, 3})
      .weights("w", {3, 4})
      .node("Transpose", {"w"}, {"w_t"})
      .node("Shape", {"x"}, {"s"});
  model.node("MatMul", {"w_t", "w"}, {"p"}).output("p").output("s");
  for (const LoweredLayer& layer : model.import().layers)
    EXPECT_EQ(layer.cost, Cost::free) << layer.name;
}

TEST(Unsupported, OperatorsHaveTheirReasonAndTheirBytes) {
  const LoweredLayer layer = unary_9("Asinh", {2, 3}, {}, 13);
  EXPECT_EQ(layer.cost, Cost::unsupported);
  EXPECT_EQ(layer.reason, "no library here has inverse hyperbolic functions");
  EXPECT_EQ(layer.flops, std::nullopt);
  EXPECT_EQ(layer.bytes, 2 * 6 * 4);
}

TEST(Unsupported, ForeignOperatorsAndWhatDependsOnThem) {
  Model model(13);
  model.domain("com.example", 1).input("x", {2, 3}).node("Magic", {"x"}, {"m"});
  model.last().set_domain("com.example");
  const LoweredGraph graph = model.node("Relu", {"m"}, {"y"}).output("y").import();
  EXPECT_EQ(graph.layers[0].reason, "an unknown operator");
  EXPECT_EQ(graph.layers[0].bytes, std::nullopt);
  EXPECT_EQ(graph.layers[1].cost, Cost::unsupported);
  EXPECT_THAT(graph.layers[1].reason, HasSubstr("shape"));
}

/// Every operator that may move nothing is free then, whichever it is.
TEST(Movement, ThatLeavesEveryElementWhereItIsIsFree) {
  Model tile(13);
  tile.input("x", {2, 3}).integers("once", {1, 1}).node("Tile", {"x", "once"}, {"y"}).output("y");
  EXPECT_EQ(tile.layer().cost, Cost::free);
  Model expand(13);
  expand.input("x", {2, 3}).integers("same", {1, 2, 3}).node("Expand", {"x", "same"}, {"y"});
  EXPECT_EQ(expand.output("y").layer().cost, Cost::free);
  Model transpose(13);
  transpose.input("x", {1, 1, 3, 4}).node("Transpose", {"x"}, {"y"}, {{"perm", Dims{0, 2, 1, 3}}});
  EXPECT_EQ(transpose.output("y").layer().cost, Cost::free);
}

TEST(Movement, OfAPartIsACopy) {
  Model slice(13);
  slice.input("x", {4, 3}).integers("from", {1}).integers("to", {3});
  const LoweredLayer layer = slice.node("Slice", {"x", "from", "to"}, {"y"}).output("y").layer();
  EXPECT_EQ(layer.cost, Cost::movement);
  EXPECT_THAT(layer.problems, testing::ElementsAre("copy/6_f1_t1"));
}

// As tf2onnx writes the second direction of a recurrence; how long sequences are changes no bytes.
TEST(LowerMovement, ReversedSequencesAreCopied) {
  const LoweredLayer layer = Model(17)
                                 .input("x", {20, 2, 16})
                                 .integers("lengths", {20, 20})
                                 .node("ReverseSequence", {"x", "lengths"}, {"y"},
                                       {{"batch_axis", 1}, {"time_axis", std::int64_t{0}}})
                                 .output("y")
                                 .layer();
  EXPECT_EQ(layer.cost, Cost::movement);
  EXPECT_THAT(layer.problems, ElementsAre("copy/640_f1_t1"));
  EXPECT_EQ(layer.outputs[0].shape, (Dims{20, 2, 16}));
}

}  // namespace
}  // namespace benanza::onnx
