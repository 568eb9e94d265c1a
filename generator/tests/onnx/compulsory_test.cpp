#include "generator/onnx/compulsory.h"

#include <gmock/gmock.h>

#include <string>

#include "generator/tests/onnx/stored.h"

namespace benanza::onnx {
namespace {

// Two products with one weight of 8x8, a bias (not counted, because software may fold it into
// another tensor), and a result in another shape.
TEST(Compulsory, AWeightCountsOnceAndWhatCanBeFoldedNot) {
  Model model(17);
  model.input("x", {4, 8}).weights("w", {8, 8}).weights("b", {8}).integers("s", {2, 16});
  model.node("MatMul", {"x", "w"}, {"p"})
      .node("Add", {"p", "b"}, {"q"})
      .node("MatMul", {"q", "w"}, {"r"})
      .node("Reshape", {"r", "s"}, {"y"});
  const Compulsory found = model.output("y").import().compulsory;
  EXPECT_EQ(found.inputs, (Traffic{.elements = 32}));
  EXPECT_EQ(found.weights, (Traffic{.elements = 64}));
  EXPECT_EQ(found.outputs, (Traffic{.elements = 32}));
}

TEST(Compulsory, WeightsMayBeTheFirstOperand) {
  Model model(17);
  model.input("x", {8, 4}).weights("w", {16, 8}).node("MatMul", {"w", "x"}, {"y"});
  const Compulsory found = model.output("y").import().compulsory;
  EXPECT_EQ(found.weights, (Traffic{.elements = 128}));
  EXPECT_EQ(found.inputs, (Traffic{.elements = 32}));
}

// Bytes that a product reads as they are.
TEST(Compulsory, InputsOfBytesCountAsThey) {
  Model model(17);
  model.input("x", {4, 8}, ::onnx::TensorProto::INT8).scalar("s", 0.1F);
  model.input("w", {8, 4}, ::onnx::TensorProto::INT8);
  model.node("DequantizeLinear", {"x", "s"}, {"a"}).node("DequantizeLinear", {"w", "s"}, {"b"});
  model.node("MatMul", {"a", "b"}, {"c"}).node("QuantizeLinear", {"c", "s"}, {"y"});
  EXPECT_EQ(model.output("y").import().compulsory.inputs, (Traffic{.bytes = 64}));
}

TEST(Compulsory, SumsOfNoElementsAreFree) {
  Model model(17);
  model.input("x", {4, 0}).input("w", {0, 8}).node("MatMul", {"x", "w"}, {"y"});
  const LoweredLayer layer = model.output("y").layer();
  EXPECT_EQ(layer.cost, Cost::free) << layer.reason;
  EXPECT_EQ(layer.outputs[0].shape, (Dims{4, 8}));
}

// Only some rows of a table are read, and only every other pixel of every other row of an image.
TEST(Compulsory, WhatIsReadInPartDoesNotCount) {
  Model model(17);
  model.input("ids", {1, 5}, ::onnx::TensorProto::INT64).weights("table", {1000, 8});
  model.input("x", {1, 4, 6, 6}).weights("w", {2, 4, 1, 1});
  model.node("Gather", {"table", "ids"}, {"rows"})
      .node("Relu", {"rows"}, {"y"})
      .node("Conv", {"x", "w"}, {"z"}, {{"strides", Dims{2, 2}}});
  const Compulsory found = model.output("y").output("z").import().compulsory;
  EXPECT_EQ(found.inputs, (Traffic{.elements = 4 * 3 * 3}));
  EXPECT_EQ(found.weights, (Traffic{.elements = 8}));
  // 5 rows of 8; two channels of 3x3.
  EXPECT_EQ(found.outputs, (Traffic{.elements = 40 + 18}));
}

TEST(Compulsory, GrowsWithTheBatchButForTheWeights) {
  Model model(17);
  model.input("x", {1, 8}).weights("w", {8, 16}).node("MatMul", {"x", "w"}, {"y"}).output("y");
  const Compulsory found = model.import({.batch = 4, .dims = {}}).compulsory;
  EXPECT_EQ(found.inputs.elements, 32);
  EXPECT_EQ(found.weights.elements, 128);
  EXPECT_EQ(found.outputs.elements, 64);
}

// One token behind 8, with 4 heads of 4 and 2 for keys and values: what was there stays where it
// is.
TEST(Compulsory, OfACacheThatGrowsInPlaceOnlyNewRowsAreWritten) {
  Model model(17);
  model.domain("com.microsoft", 1).input("q", {1, 1, 16}).input("k", {1, 1, 8});
  model.input("v", {1, 1, 8}).input("pk", {1, 2, 8, 4}).input("pv", {1, 2, 8, 4});
  model.node("GroupQueryAttention", {"q", "k", "v", "pk", "pv"}, {"y", "nk", "nv"},
             {{"num_heads", 4}, {"kv_num_heads", 2}});
  model.last().set_domain("com.microsoft");
  const Compulsory found = model.output("y").output("nk").output("nv").import().compulsory;
  // Keys and values of 8 rows, the query; k and v are copied, which reads them.
  EXPECT_EQ(found.inputs, (Traffic{.elements = 2 * 64 + 16 + 2 * 8}));
  EXPECT_EQ(found.outputs, (Traffic{.elements = 16 + 2 * 8}));
}

// As most exporters write a decoder: keys are joined, repeated for the heads of the queries and
// turned before the product reads them.
TEST(Compulsory, CachesCountThroughWhatMovesThem) {
  Model model(17);
  model.input("q", {1, 8, 1, 4}).input("k", {1, 2, 1, 4});
  model.input("past", {1, 2, 8, 4}, ::onnx::TensorProto::INT8).scalar("s", 0.5F);
  model.node("QuantizeLinear", {"k", "s"}, {"kq"});
  model.last().add_input("z");
  auto& zero = *model.graph().add_initializer();
  zero.set_name("z");
  zero.set_data_type(::onnx::TensorProto::INT8);
  zero.add_int32_data(0);
  model.integers("axis", {2}).integers("heads", {1, 2, 4, 9, 4}).integers("flat", {1, 8, 9, 4});
  model.node("Concat", {"past", "kq"}, {"all"}, {{"axis", 2}});
  model.node("DequantizeLinear", {"all", "s", "z"}, {"d"}).node("Unsqueeze", {"d", "axis"}, {"u"});
  model.node("Expand", {"u", "heads"}, {"e"}).node("Reshape", {"e", "flat"}, {"r"});
  model.node("Transpose", {"r"}, {"t"}, {{"perm", Dims{0, 1, 3, 2}}});
  model.node("MatMul", {"q", "t"}, {"y"}).output("y");
  // The queries and the new key as floats, 64 bytes of earlier keys.
  EXPECT_EQ(model.import().compulsory.inputs, (Traffic{.elements = 32 + 8, .bytes = 64}));
}

// Keys that are scaled by 1 before the product, as some exporters write attention.
TEST(Compulsory, CachesCountThroughWhatLeavesThemUnchanged) {
  Model model(17);
  model.input("q", {1, 8, 1, 4}).input("k", {1, 8, 1, 4}).scalar("one", 1);
  model.input("past", {1, 8, 8, 4});
  model.node("Concat", {"past", "k"}, {"all"}, {{"axis", 2}});
  model.node("Transpose", {"all"}, {"t"}, {{"perm", Dims{0, 1, 3, 2}}});
  model.node("Mul", {"t", "one"}, {"scaled"}).node("MatMul", {"q", "scaled"}, {"y"}).output("y");
  EXPECT_EQ(model.import().compulsory.inputs, (Traffic{.elements = 32 + 32 + 256}));
}

// No library quantizes to 16 bits; what does reads the earlier keys through the Concat.
TEST(Compulsory, WhatUnsupportedLayersReadCountsThroughWhatMovesIt) {
  Model model(21);
  model.input("past", {1, 2, 8, 4}).input("k", {1, 2, 1, 4}).scalar("s", 0.5F);
  model.node("Concat", {"past", "k"}, {"all"}, {{"axis", 2}});
  model.node("QuantizeLinear", {"all", "s"}, {"y"},
             {{"output_dtype", std::int64_t{::onnx::TensorProto::UINT16}}});
  EXPECT_EQ(model.output("y").import().compulsory.inputs, (Traffic{.elements = 64 + 8}));
}

// A cache with room for 16 rows of which 10 are filled; the last is new.
TEST(Compulsory, OfACacheOfFixedSizeTheFilledRowsCount) {
  Model model(24);
  model.input("q", {1, 2, 1, 4}).input("k", {1, 2, 1, 4}).input("cache", {1, 2, 16, 4});
  model.input("place", {1}, ::onnx::TensorProto::INT64).integers("filled", {10});
  model.node("TensorScatter", {"cache", "k", "place"}, {"all"});
  model.node("Attention", {"q", "all", "all", "", "", "", "filled"}, {"y"}).output("y");
  model.output("all");
  EXPECT_EQ(model.import().compulsory.inputs, (Traffic{.elements = 8 + 9 * 8}));
}

// A cache of 16 rows of which one is new, converted and turned before the product reads it.
TEST(Compulsory, CachesCountThroughWhatWritesOverSomeRows) {
  Model model(24);
  model.input("q", {2, 1, 4}).input("k", {2, 1, 4}, ::onnx::TensorProto::FLOAT16);
  model.input("cache", {2, 16, 4}, ::onnx::TensorProto::FLOAT16);
  model.input("place", {2, 1, 2}, ::onnx::TensorProto::INT64);
  model.node("ScatterND", {"cache", "place", "k"}, {"all"});
  model.node("Cast", {"all"}, {"wide"}, {{"to", std::int64_t{1}}});
  model.node("Transpose", {"wide"}, {"t"}, {{"perm", Dims{0, 2, 1}}});
  model.node("MatMul", {"q", "t"}, {"y"}).output("y").output("all");
  EXPECT_EQ(model.import().compulsory.inputs, (Traffic{.elements = 8 + 2 * 15 * 4}));
}

// Two sequences of 6 and 10 of 16 keys, and as many values, of 2 heads of 4.
TEST(Compulsory, OfKeysWithRoomForMoreTheFilledOnesCount) {
  Model model(24);
  model.input("q", {2, 2, 1, 4}).input("k", {2, 2, 16, 4}).input("v", {2, 2, 16, 4});
  model.integers("filled", {6, 10});
  model.node("Attention", {"q", "k", "v", "", "", "", "filled"}, {"y"}).output("y");
  EXPECT_EQ(model.import().compulsory.inputs, (Traffic{.elements = 16 + 2 * (6 + 10) * 2 * 4}));
}

/// y = x times weights of 64 x 32, of which three are not zero.
Model of_few_weights(bool is_node) {
  Model model(17);
  model.input("x", {4, 64});
  ::onnx::SparseTensorProto weights;
  weights.add_dims(64);
  weights.add_dims(32);
  weights.mutable_values()->set_name("w");
  weights.mutable_values()->set_data_type(::onnx::TensorProto::FLOAT);
  weights.mutable_values()->add_dims(3);
  weights.mutable_indices()->set_data_type(::onnx::TensorProto::INT64);
  weights.mutable_indices()->add_dims(3);
  for (const int place : {5, 70, 900}) {
    weights.mutable_values()->add_float_data(1);
    weights.mutable_indices()->add_int64_data(place);
  }
  if (is_node) {
    model.node("Constant", {}, {"w"});
    auto& value = *model.last().add_attribute();
    value.set_name("sparse_value");
    value.set_type(::onnx::AttributeProto::SPARSE_TENSOR);
    *value.mutable_sparse_tensor() = weights;
  } else {
    *model.graph().add_sparse_initializer() = weights;
  }
  return model.node("MatMul", {"x", "w"}, {"y"}).output("y");
}

TEST(Compulsory, WeightsWithoutTheirZerosAreWhatTheFileHolds) {
  for (const bool is_node : {false, true}) {
    const LoweredGraph graph = of_few_weights(is_node).import();
    EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = 3})) << is_node;
    EXPECT_EQ(graph.layers.back().reason,
              "its weights, stored without their zeros, are taken to be dense");
    EXPECT_EQ(graph.layers.back().problems, std::vector<std::string>{"gemm/m4_n32_k64_nn_w"});
  }
}

// The middle of the range in every column is part of the product.
TEST(Compulsory, ZeroPointsThatAreAllTheSameAreNotRead) {
  for (const int other : {128, 127}) {
    Model model(21);
    model.input("x", {4, 64}).weights("s", {32});
    stored(model, "w", {64, 32}, ::onnx::TensorProto::UINT8);
    model.weights("z", {32});
    auto& points = *model.graph().mutable_initializer(model.graph().initializer_size() - 1);
    points.set_data_type(::onnx::TensorProto::UINT8);
    points.clear_float_data();
    std::string bytes(32, static_cast<char>(128));
    bytes.back() = static_cast<char>(other);
    points.set_raw_data(bytes);
    model.node("DequantizeLinear", {"w", "s", "z"}, {"d"}).node("MatMul", {"x", "d"}, {"y"});
    EXPECT_EQ(model.output("y").import().compulsory.weights,
              (Traffic{.elements = 32, .bytes = 64 * 32 + (other == 128 ? 0 : 32)}));
  }
}

// The prompt goes through a decoder at least: a product of 64 x 100, or the queries, keys and
// values of an attention.
TEST(Compulsory, ASearchReadsTheWeightsOfItsDecoder) {
  Model decoder(17);
  decoder.weights("table", {100, 64}).weights("w", {64, 100});
  decoder.node("Gather", {"table", "ids"}, {"e"}).node("MatMul", {"e", "w"}, {"logits"});
  for (const bool has_first : {false, true}) {
    Model model(17);
    model.domain("com.microsoft", 1).input("ids", {1, 4}, ::onnx::TensorProto::INT32);
    model.integers("most", {20}).integers("least", {1});
    add_microsoft(model, "GreedySearch", {"ids", "most", "least"}, {"found"});
    const auto add_body = [&](const char* name, const ::onnx::GraphProto& graph) {
      auto& body = *model.last().add_attribute();
      body.set_name(name);
      body.set_type(::onnx::AttributeProto::GRAPH);
      *body.mutable_g() = graph;
    };
    add_body("decoder", decoder.graph());
    Model first(17);
    first.weights("v", {64, 192}).weights("b", {192});
    add_microsoft(first, "Attention", {"ids", "v", "b"}, {"logits"});
    if (has_first) add_body("init_decoder", first.graph());
    const LoweredGraph graph = model.output("found").import();
    EXPECT_EQ(graph.layers.back().cost, Cost::unsupported);
    EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = 64 * (has_first ? 192 : 100)}));
  }
}

// An input that is returned unchanged needs no copy.
TEST(Compulsory, WhatNoLayerMakesIsNotWritten) {
  Model model(17);
  model.input("x", {1, 8}).node("Identity", {"x"}, {"y"}).output("y");
  EXPECT_EQ(model.import().compulsory, Compulsory{});
}

// Weights of 8 heads, put into another order before the product.
TEST(Compulsory, WeightsCountThroughWhatMovesThemInTheirLayer) {
  for (const bool of_bytes : {false, true}) {
    Model model(21);
    model.input("x", {1, 4, 96}).weights("s", {8});
    stored(model, "w", {8, 96, 16}, ::onnx::TensorProto::INT8).weights("f", {8, 96, 16});
    model.node("DequantizeLinear", {"w", "s"}, {"d"}, {{"axis", 0}});
    model.node("Einsum", {"x", of_bytes ? "d" : "f"}, {"y"}, {{"equation", "bqd,hde->bhqe"}});
    const LoweredGraph graph = model.output("y").import();
    EXPECT_EQ(graph.compulsory.weights, of_bytes ? (Traffic{.elements = 8, .bytes = 8 * 96 * 16})
                                                 : (Traffic{.elements = 8 * 96 * 16}));
    EXPECT_EQ(graph.layers.back().reason,
              of_bytes ? "its weights, stored as int8, are taken to be floats once the model is "
                         "loaded"
                       : "");
  }
}

constexpr int uint4 = 21;  // Newer than the installed onnx.

// Columns of a stored matrix, in fewer bits than the product has: 16 of 64, with 32 rows each.
TEST(Compulsory, PartsOfStoredWeightsHaveTheBitsOfTheFile) {
  for (const int type : {int{::onnx::TensorProto::INT8}, uint4}) {
    Model model(21);
    model.input("x", {4, 32}).weights("s", {64}).integers("from", {16}).integers("to", {32});
    stored(model, "w", {32, 64}, type).integers("axis", {1});
    model.node("DequantizeLinear", {"w", "s"}, {"d"}, {{"axis", 1}});
    model.node("Slice", {"d", "from", "to", "axis"}, {"part"}).node("MatMul", {"x", "part"}, {"y"});
    const LoweredGraph graph = model.output("y").import();
    const bool is_byte = type == ::onnx::TensorProto::INT8;
    EXPECT_EQ(graph.compulsory.weights, (Traffic{.bytes = 32 * 16 / (is_byte ? 1 : 2)}));
    EXPECT_EQ(graph.layers.back().reason, std::string("its weights, stored as ") +
                                              (is_byte ? "int8" : "uint4") +
                                              ", are taken to be floats once the model is loaded");
  }
}

TEST(Compulsory, PartsOfWidenedWeightsAreHalves) {
  Model model(21);
  model.input("x", {4, 32}).integers("from", {16}).integers("to", {32}).integers("axis", {1});
  stored(model, "w", {32, 64}, ::onnx::TensorProto::FLOAT16);
  model.node("Cast", {"w"}, {"f"}, {{"to", 1}});
  model.node("Slice", {"f", "from", "to", "axis"}, {"part"}).node("MatMul", {"x", "part"}, {"y"});
  EXPECT_EQ(model.output("y").import().compulsory.weights, (Traffic{.halves = 32 * 16}));
}

// Bytes and a mask of bytes, for 32 bits each.
TEST(Compulsory, WeightsWithAMaskAreHalves) {
  Model model(21);
  model.input("x", {4, 32}).scalar("s", 0.1F).scalar("zero", 0);
  stored(model, "w", {32, 64}, ::onnx::TensorProto::INT8);
  stored(model, "mask", {32, 64}, ::onnx::TensorProto::BOOL);
  model.node("DequantizeLinear", {"w", "s"}, {"d"}).node("Where", {"mask", "d", "zero"}, {"f"});
  model.node("MatMul", {"x", "f"}, {"y"});
  EXPECT_EQ(model.output("y").import().compulsory.weights, (Traffic{.halves = 32 * 64}));
}

// Whichever branch runs, it multiplies by `both`, and by 64 or 32 numbers of its own.
TEST(Compulsory, OfBranchesWhatEachReadsCounts) {
  Model model(21);
  model.input("c", {}, ::onnx::TensorProto::BOOL).input("x", {4, 8}).weights("both", {8, 8});
  model.weights("only", {8, 8}).node("If", {"c"}, {"y"});
  for (const char* name : {"then_branch", "else_branch"}) {
    auto& body = body_of(model, name);
    const bool is_first = std::string(name) == "then_branch";
    auto& own = *body.add_initializer();
    own.set_name("own");
    own.set_data_type(::onnx::TensorProto::FLOAT);
    own.add_dims(8);
    own.add_dims(is_first ? 8 : 4);
    add_node(body, "MatMul", {"x", "both"}, "a");
    if (is_first) add_node(body, "MatMul", {"a", "only"}, "b");
    add_node(body, "MatMul", {is_first ? "b" : "a", "own"}, "z");
    body.add_output()->set_name("z");
  }
  const LoweredGraph graph = model.output("y").import();
  EXPECT_EQ(graph.layers.back().cost, Cost::unsupported);
  EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = 64 + 32}));
}

/// Earlier keys and values of 2 heads and 5 positions in one tensor, as GPT-2's exporters write
/// them.
Model with_past_of_both() {
  Model model(17);
  model.input("past", {2, 1, 2, 5, 4}).input("q", {1, 2, 1, 4}).input("k", {1, 2, 1, 4});
  model.input("v", {1, 2, 1, 4}).integers("0", {0}).integers("1", {1});
  return model;
}

/// `k0` and `v0`: with an axis of 1 before the others.
LoweredGraph attending(Model& model) {
  model.node("Squeeze", {"k0", "0"}, {"pk"}).node("Squeeze", {"v0", "0"}, {"pv"});
  model.node("Concat", {"pk", "k"}, {"keys"}, {{"axis", 2}});
  model.node("Concat", {"pv", "v"}, {"values"}, {{"axis", 2}});
  model.node("Transpose", {"keys"}, {"t"}, {{"perm", Dims{0, 1, 3, 2}}});
  model.node("MatMul", {"q", "t"}, {"s"}).node("Softmax", {"s"}, {"p"});
  return model.node("MatMul", {"p", "values"}, {"y"}).output("y").import();
}

TEST(Compulsory, PartsThatAreReadOfOneInputAddUp) {
  const Traffic all{.elements = 2 * 2 * 5 * 4 + 3 * 8};
  Model gathered = with_past_of_both();
  gathered.node("Gather", {"past", "0"}, {"k0"}).node("Gather", {"past", "1"}, {"v0"});
  EXPECT_EQ(attending(gathered).compulsory.inputs, all);
  Model split = with_past_of_both();
  split.integers("ones", {1, 1}).node("Split", {"past", "ones"}, {"k0", "v0"});
  EXPECT_EQ(attending(split).compulsory.inputs, all);
  Model same = with_past_of_both();
  same.node("Gather", {"past", "1"}, {"k0"}).node("Gather", {"past", "1"}, {"v0"});
  EXPECT_EQ(attending(same).compulsory.inputs, (Traffic{.elements = 2 * 5 * 4 + 3 * 8}));
}

// Rows 0 to 5 and 3 to 8 of 10, each of 4 elements.
TEST(Compulsory, PartsThatOverlapCountOnce) {
  Model model(17);
  model.input("x", {10, 4}).weights("w", {4, 2});
  model.integers("0", {0}).integers("3", {3}).integers("6", {6}).integers("9", {9});
  model.node("Slice", {"x", "0", "6", "0"}, {"a"}).node("Slice", {"x", "3", "9", "0"}, {"b"});
  model.node("MatMul", {"a", "w"}, {"c"}).node("MatMul", {"b", "w"}, {"d"});
  EXPECT_EQ(model.output("c").output("d").import().compulsory.inputs, (Traffic{.elements = 36}));
}

// Two of four interleaved images.
TEST(Compulsory, PartsMayHaveGaps) {
  Model model(17);
  model.input("x", {1, 3, 8, 8}).weights("w", {4, 6, 1, 1});
  model.integers("start0", {0, 0}).integers("start1", {1, 1}).integers("end", {8, 8});
  model.integers("axes", {2, 3}).integers("steps", {2, 2});
  model.node("Slice", {"x", "start0", "end", "axes", "steps"}, {"a"});
  model.node("Slice", {"x", "start1", "end", "axes", "steps"}, {"b"});
  model.node("Concat", {"a", "b"}, {"c"}, {{"axis", 1}}).node("Conv", {"c", "w"}, {"y"});
  EXPECT_EQ(model.output("y").import().compulsory.inputs, (Traffic{.elements = 2 * 3 * 16}));
}

}  // namespace
}  // namespace benanza::onnx
