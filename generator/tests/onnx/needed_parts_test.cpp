// What operators do not need of weights and inputs is not in the floor.
#include <gmock/gmock.h>

#include "generator/onnx/compulsory.h"
#include "generator/tests/onnx/stored.h"

namespace benanza::onnx {
namespace {

// A pixel of 4 channels, of which 2 x 4 filters of 3x3 taps use one tap each; quantized, as well.
TEST(NeededParts, FilterTapsThatOnlyMeetPaddingAreNotRead) {
  Model model(17);
  model.input("x", {1, 4, 1, 1}).weights("w", {2, 4, 3, 3});
  model.node("Conv", {"x", "w"}, {"y"}, {{"pads", Dims{1, 1, 1, 1}}});
  EXPECT_EQ(model.output("y").import().compulsory.weights, (Traffic{.elements = 8}));
  Model quantized(17);
  quantized.input("x", {1, 4, 1, 1}).scalar("s", 0.5F);
  stored(quantized, "w", {2, 4, 3, 3}, ::onnx::TensorProto::INT8);
  quantized.node("DequantizeLinear", {"w", "s"}, {"d"});
  quantized.node("Conv", {"x", "d"}, {"y"}, {{"pads", Dims{1, 1, 1, 1}}});
  EXPECT_EQ(quantized.output("y").import().compulsory.weights.bytes, 8);
}

// Windows of 2x2 at every third of 6x6 pixels; a transposed image of which the same are read.
TEST(NeededParts, PixelsBetweenWindowsAreNotRead) {
  for (const bool transposed : {false, true}) {
    Model model(17);
    model.input("x", {1, 4, 6, 6}).weights("w", {2, 4, 2, 2});
    if (transposed) model.node("Transpose", {"x"}, {"t"}, {{"perm", Dims{0, 1, 3, 2}}});
    model.node("Conv", {transposed ? "t" : "x", "w"}, {"y"}, {{"strides", Dims{3, 3}}});
    EXPECT_EQ(model.output("y").import().compulsory.inputs, (Traffic{.elements = 4 * 4 * 4}));
  }
}

TEST(NeededParts, AStepFromZerosReadsNoRecurrentWeights) {
  const auto weights = [](std::int64_t steps) {
    Model model(17);
    model.input("x", {steps, 2, 3}).weights("w", {1, 16, 3}).weights("r", {1, 16, 4});
    model.node("LSTM", {"x", "w", "r"}, {"y"}, {{"hidden_size", 4}});
    return model.output("y").import().compulsory.weights;
  };
  EXPECT_EQ(weights(1), (Traffic{.elements = 48}));
  EXPECT_EQ(weights(2), (Traffic{.elements = 48 + 64}));
}

// 8 pixels become 4; a cubic kernel reads all, or not, depending on where they lie.
TEST(NeededParts, OfAnImageThatShrinksNothingIsSaidToBeRead) {
  const auto inputs = [](float scale) {
    Model model(17);
    model.input("x", {1, 1, 8}).reals("scales", {3}, {1, 1, scale});
    model.node("Resize", {"x", "", "scales"}, {"y"}, {{"mode", "cubic"}});
    return model.output("y").import().compulsory.inputs;
  };
  EXPECT_EQ(inputs(0.5F), Traffic{});
  EXPECT_EQ(inputs(2), (Traffic{.elements = 8}));
}

TEST(NeededParts, OfNoPixelsThereIsNone) {
  Model model(17);
  model.input("x", {1, 0, 8}).reals("scales", {3}, {1, 1, 0.5F});
  model.node("Resize", {"x", "", "scales"}, {"y"}, {{"mode", "cubic"}});
  const LoweredGraph graph = model.output("y").import();
  EXPECT_EQ(graph.layers[0].cost, Cost::unsupported);
  EXPECT_EQ(graph.compulsory.inputs, Traffic{});
}

// The weights are 16 x 3 bytes; 16 x 4 more multiply what the step before has made.
TEST(NeededParts, AQuantizedStepFromZerosReadsNoRecurrentWeights) {
  const auto bytes = [](std::int64_t steps) {
    Model model(17);
    model.domain("com.microsoft", 1).input("x", {steps, 2, 3});
    stored(model, "w", {1, 3, 16}, ::onnx::TensorProto::INT8);
    stored(model, "r", {1, 4, 16}, ::onnx::TensorProto::INT8);
    for (const char* name : {"ws", "rs"}) model.weights(name, {1});
    for (const char* name : {"wz", "rz"}) stored(model, name, {1}, ::onnx::TensorProto::INT8);
    add_microsoft(model, "DynamicQuantizeLSTM",
                  {"x", "w", "r", "", "", "", "", "", "ws", "wz", "rs", "rz"}, {"y"},
                  {{"hidden_size", 4}});
    const LoweredGraph graph = model.output("y").import();
    EXPECT_EQ(graph.layers[0].cost, Cost::measured) << graph.layers[0].reason;
    return graph.compulsory.weights.bytes;
  };
  EXPECT_EQ(bytes(1), 48);
  EXPECT_GE(bytes(2), 48 + 64);
}

// 16 of 64 rows of 32 integers, turned or cast on their way.
TEST(NeededParts, RowsOfQuantizedWeightsCountAsTheyAreStored) {
  const auto bytes = [](int type, bool casts) {
    Model model(21);
    model.input("x", {4, casts ? 16 : 32}).scalar("s", 0.5F);
    model.integers("from", {16}).integers("to", {32});
    stored(model, "w", {64, 32}, type);
    if (casts) {
      model.node("Slice", {"w", "from", "to"}, {"r"}).node("Cast", {"r"}, {"d"}, {{"to", 1}});
    } else {
      model.node("DequantizeLinear", {"w", "s"}, {"f"}).node("Slice", {"f", "from", "to"}, {"r"});
      model.node("Transpose", {"r"}, {"d"}, {{"perm", Dims{1, 0}}});
    }
    return model.node("MatMul", {"x", "d"}, {"y"}).output("y").import().compulsory.weights;
  };
  constexpr int four_bits = 21;  // Newer than the installed onnx.
  EXPECT_EQ(bytes(four_bits, false), (Traffic{.bytes = 16 * 32 / 2}));
  EXPECT_EQ(bytes(::onnx::TensorProto::INT8, false), (Traffic{.bytes = 16 * 32}));
  EXPECT_EQ(bytes(::onnx::TensorProto::INT8, true), (Traffic{.bytes = 16 * 32}));
}

// Of 4 rows, those that a mask keeps are multiplied, as a model's loop over experts does: perhaps
// none. If the model's user says how many, they are.
TEST(NeededParts, OfRowsThatMayBeNoneNothingIsRead) {
  Model model(17);
  model.input("x", {4, 8}).input("mask", {4}, ::onnx::TensorProto::BOOL).weights("w", {8, 16});
  model.weights("v", {8, 3}).node("NonZero", {"mask"}, {"nz"});
  model.node("Transpose", {"nz"}, {"rows"}).node("GatherND", {"x", "rows"}, {"kept"});
  model.node("MatMul", {"kept", "w"}, {"y"}).node("MatMul", {"x", "v"}, {"z"});
  model.output("y").output("z");
  EXPECT_EQ(model.import().compulsory.weights, (Traffic{.elements = 24}));
  const LoweredGraph stated = model.import({.batch = {}, .dims = {{"nz:1", 2}}});
  EXPECT_EQ(stated.compulsory.weights, (Traffic{.elements = 24 + 128}));
}

// 1 x 16 numbers become 8 x 16 by repetition, as many times as another input has rows, or by a
// look-up. Numbers that are filled in stand for weights.
TEST(NeededParts, RepeatedWeightsAreReadAsTheyAreStored) {
  const auto weights = [](const std::string& how) {
    Model model(17);
    model.input("x", {4, 8}).input("z", {8, 3}).weights("w", {1, 16}).integers("extents", {8, 16});
    model.integers("columns", {16}).integers("rows", Dims(8, 0)).integers("begin", {0});
    model.integers("end", {1});
    if (how == "Shape") {
      model.node("Shape", {"z"}, {"zs"}).node("Slice", {"zs", "begin", "end"}, {"count"});
      model.node("Concat", {"count", "columns"}, {"s"}, {{"axis", 0}});
      model.node("Expand", {"w", "s"}, {"r"});
    } else if (how == "Gather") {
      model.node("Gather", {"w", "rows"}, {"r"});
    } else if (how == "Expand") {
      model.node("Expand", {"w", "extents"}, {"r"});
    } else {
      model.node("ConstantOfShape", {"extents"}, {"r"});
    }
    return model.node("MatMul", {"x", "r"}, {"y"}).output("y").import().compulsory.weights;
  };
  EXPECT_EQ(weights("Expand"), (Traffic{.elements = 16}));
  EXPECT_EQ(weights("Shape"), (Traffic{.elements = 16}));
  EXPECT_EQ(weights("Gather"), (Traffic{.elements = 16}));
  EXPECT_EQ(weights("ConstantOfShape"), (Traffic{.elements = 128}));
}

/// A product of what `ids` pick of a table.
LoweredGraph looked_up(const Dims& table, const Dims& ids, std::int64_t batch, bool is_first) {
  Model model(17);
  model.weights("w", table).input("ids", ids, ::onnx::TensorProto::INT64);
  model.node("GatherND", {"w", "ids"}, {"r"}, {{"batch_dims", batch}});
  if (is_first) {
    model.input("x", {6, 3}).node("MatMul", {"r", "x"}, {"y"});
  } else {
    model.input("x", {3, 4}).node("MatMul", {"x", "r"}, {"y"});
  }
  return model.output("y").import();
}

// Experts, or what adapts weights to a task, of 4 x 6: all may be the same.
TEST(NeededParts, OneOfTheSlicesThatIndicesPickIsRead) {
  for (const bool is_first : {false, true}) {
    EXPECT_EQ(looked_up({8, 4, 6}, {5, 1}, 0, is_first).compulsory.weights.elements, 24);
    EXPECT_EQ(looked_up({2, 8, 4, 6}, {5, 2}, 0, is_first).compulsory.weights.elements, 24);
    EXPECT_EQ(looked_up({2, 8, 4, 6}, {2, 5, 1}, 1, is_first).compulsory.weights.elements, 2 * 24)
        << "of the table of each of two sequences";
  }
  Model row(17);
  row.weights("w", {8, 4, 6}).input("ids", {5}, ::onnx::TensorProto::INT64).input("x", {6, 3});
  row.node("Gather", {"w", "ids"}, {"r"}).node("MatMul", {"r", "x"}, {"y"});
  EXPECT_EQ(row.output("y").import().compulsory.weights.elements, 24) << "as a Gather does";
}

// The last 8 of 10 earlier rows of 2 heads of 8 and a new one, as a window moves on; with a head
// that is repeated for several queries.
TEST(NeededParts, OfARollingCacheTheRowsThatStayAreRead) {
  for (const bool repeats : {false, true}) {
    Model model(17);
    model.input("q", {1, 2, 1, 8}).integers("from", {-8}).integers("to", {100});
    model.integers("axis", {2}).integers("twice", {1, 2, 8, 8});
    const std::int64_t heads = repeats ? 1 : 2;
    for (const std::string one : {"k", "v"}) {
      model.input("p" + one, {1, heads, 10, 8}).input("n" + one, {1, heads, 1, 8});
      model.node("Concat", {"p" + one, "n" + one}, {"a" + one}, {{"axis", 2}});
      model.node("Slice", {"a" + one, "from", "to", "axis"}, {"s" + one}).output("s" + one);
      model.node("Expand", {"s" + one, "twice"}, {one});
    }
    model.node("Transpose", {"k"}, {"kt"}, {{"perm", Dims{0, 1, 3, 2}}});
    model.node("MatMul", {"q", "kt"}, {"s"}).node("Softmax", {"s"}, {"p"});
    const Compulsory least =
        model.node("MatMul", {"p", "v"}, {"y"}).output("y").import().compulsory;
    EXPECT_EQ(least.inputs.elements, 16 + 2 * heads * 8 * 8) << "7 earlier rows and the new one";
    EXPECT_EQ(least.outputs.elements, 16 + 2 * heads * 8 * 8);
  }
}

}  // namespace
}  // namespace benanza::onnx
