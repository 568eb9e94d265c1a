// Data movement by indices, repetition, resizing; contractions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "generator/fusion/fusion.h"
#include "generator/lowered/number_tensors.h"
#include "generator/tests/onnx/model.h"

namespace benanza::onnx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

LoweredLayer gather(const Dims& indices, std::int64_t axis) {
  return Model(13)
      .input("x", {2, 6, 4})
      .integers("i", indices)
      .node("Gather", {"x", "i"}, {"y"}, {{"axis", axis}})
      .output("y")
      .layer();
}

TEST(Gather, OfEvenlySpacedIndicesIsAView) {
  const LoweredLayer layer = gather({1, 3, 5}, 1);
  EXPECT_EQ(layer.cost, Cost::movement);
  EXPECT_THAT(layer.problems, ElementsAre("copy/6x4_f8.1_t4.1")) << "both halves walk alike";
  EXPECT_EQ(layer.calls[0].from_offset, 4);
  EXPECT_FALSE(layer.calls[0].is_proxy);
  EXPECT_EQ(gather({0, 1}, 0).cost, Cost::free);
}

TEST(Gather, OfOtherIndicesIsACopyOfAsMuch) {
  const LoweredLayer layer = gather({4, 0, 3}, 1);
  EXPECT_THAT(layer.problems, ElementsAre("copy/2x12_f24.1_t12.1"));
  EXPECT_TRUE(layer.calls[0].is_proxy);
  EXPECT_TRUE(gather({0, 3, 1, 1, 0, 2, 5, 5}, 1).calls[0].is_proxy) << "more than there are";
  EXPECT_THROW(gather({6}, 1), Error);
}

TEST(Gather, OfEmbeddings) {
  Model model(13);
  model.weights("table", {1000, 64}).input("ids", {1, 16}, ::onnx::TensorProto::INT64);
  const LoweredLayer layer = model.node("Gather", {"table", "ids"}, {"y"}).output("y").layer();
  EXPECT_THAT(layer.problems, ElementsAre("copy/1024_f1_t1"));
  EXPECT_TRUE(layer.calls[0].is_proxy);
}

LoweredLayer top_k(const Dims& dims, const Attributes& attributes) {
  return Model(11)
      .input("x", dims)
      .integers("k", {4})
      .node("TopK", {"x", "k"}, {"values", "places"}, attributes)
      .output("values")
      .output("places")
      .layer();
}

TEST(TopK, TakesAtLeastAsLongAsTheLargest) {
  const LoweredLayer layer = top_k({5, 32}, {});
  EXPECT_EQ(layer.cost, Cost::measured);
  EXPECT_THAT(layer.problems, ElementsAre("reducemax/5x32_a1"));
  EXPECT_TRUE(layer.calls[0].is_proxy);
  EXPECT_THAT(layer.reason, HasSubstr("the largest element alone"));
  EXPECT_THAT(top_k({32, 5}, {{"axis", 0}, {"largest", 0}}).problems,
              ElementsAre("reducemin/32x5_a0"));
}

// Lengths of the sequences of a batch of one, sorted before recurrent layers.
TEST(TopK, OfOneIsFreeOfAnyType) {
  Model model(13);
  model.input("x", {1}, ::onnx::TensorProto::INT64).integers("k", {1});
  model.node("TopK", {"x", "k"}, {"values", "places"}).output("values").output("places");
  EXPECT_EQ(model.layer().cost, Cost::free);
}

// 3 of rows 5 1 5 2 and 0 7 8 9; their places make the extents of the result.
TEST(TopK, OfKnownNumbersIsKnown) {
  Model model(13);
  model.integers("flat", {5, 1, 5, 2, 0, 7, 8, 9}).integers("dims", {2, 4}).integers("k", {3});
  model.node("Reshape", {"flat", "dims"}, {"n"}).node("TopK", {"n", "k"}, {"values", "places"});
  model.integers("all", {-1}).node("Reshape", {"values", "all"}, {"v"});
  model.node("Reshape", {"places", "all"}, {"p"});
  model.weights("one", {1}).node("Expand", {"one", "v"}, {"a"}).node("Expand", {"one", "p"}, {"b"});
  const LoweredGraph graph = model.output("a").output("b").import();
  EXPECT_EQ(graph.layers[graph.layers.size() - 2].outputs[0].shape, (Dims{5, 5, 2, 9, 8, 7}));
  EXPECT_EQ(graph.layers.back().outputs[0].shape, (Dims{0, 2, 3, 3, 2, 1}));
}

TEST(ArgMax, TakesAtLeastAsLongAsTheLargest) {
  Model model(13);
  model.input("x", {2, 64}).node("ArgMax", {"x"}, {"y"}, {{"axis", 1}, {"keepdims", 0}});
  const LoweredLayer layer = model.output("y").layer();
  EXPECT_THAT(layer.problems, ElementsAre("reducemax/2x64_a1"));
  EXPECT_TRUE(layer.calls[0].is_proxy);
}

TEST(Gather, SaysInTheFlowWhichRowsItChooses) {
  Model model(13);
  model.input("x", {2, 6, 4}).input("ids", {3}, ::onnx::TensorProto::INT64);
  model.node("Gather", {"x", "ids"}, {"y"}, {{"axis", 1}}).output("y");
  const DataFlow flow = number_tensors(model.import(), {});
  const FlowCall& call = flow.layers.at(0).calls.at(0);
  ASSERT_TRUE(call.gather);
  EXPECT_EQ(*call.gather, (GatheredRows{.outer = 2, .extent = 6, .count = 3, .inner = 4}));
  ASSERT_EQ(call.operands.size(), 2);
  EXPECT_EQ(flow.tensors.at(call.operands[0].index).name, "x");
  EXPECT_EQ(flow.tensors.at(call.operands[1].index).name, "ids");
  EXPECT_EQ(flow.tensors.at(call.operands[1].index).type, "int64");
}

TEST(GatherNd, CopiesRowsAsAGatherDoes) {
  const auto layer = [](const Dims& ids) {
    Model model(13);
    model.input("x", {4, 6, 5}).input("ids", ids, ::onnx::TensorProto::INT64);
    return model.node("GatherND", {"x", "ids"}, {"y"}).output("y").layer();
  };
  EXPECT_THAT(layer({3, 1}).problems, ElementsAre("copy/90_f1_t1"));
  EXPECT_THAT(layer({7, 1}).problems, ElementsAre("copy/7x30_f0.1_t30.1"));
  EXPECT_THAT(layer({25, 2}).problems, ElementsAre("copy/25x5_f0.1_t5.1"));
  EXPECT_EQ(layer({7, 1}).calls[0].gather->rows,
            (GatheredRows{.outer = 1, .extent = 4, .count = 7, .inner = 30}));
  EXPECT_FALSE(layer({25, 2}).calls[0].gather) << "pairs of numbers";
}

// Rows 1 and 3 of 4; every one.
TEST(GatherNd, OfKnownIndicesCopiesWhatTheyPick) {
  const auto layer = [](const Dims& ids) {
    Model model(13);
    model.input("x", {4, 6}).integers("i", ids).integers("last", {1});
    model.node("Unsqueeze", {"i", "last"}, {"ids"});
    return model.node("GatherND", {"x", "ids"}, {"y"}).output("y").layer();
  };
  EXPECT_THAT(layer({1, -1}).problems, ElementsAre("copy/2x6_f12.1_t6.1"));
  EXPECT_EQ(layer({1, -1}).calls[0].from_offset, 6);
  EXPECT_FALSE(layer({1, -1}).calls[0].is_proxy);
  EXPECT_TRUE(layer({1, 0}).calls[0].is_proxy);
  EXPECT_EQ(layer({0, 1, 2, 3}).cost, Cost::free);
}

TEST(Gather, ThatIsNamedReadsItsRowsAlone) {
  const auto bytes = [](const Dims& ids) {
    Model model(13);
    model.weights("table", {1000, 64}).input("ids", ids, ::onnx::TensorProto::INT64);
    model.node("Gather", {"table", "ids"}, {"y"}, {{"newest", 1}}).output("y");
    EXPECT_EQ(model.layer().cost, Cost::unsupported);
    return model.layer().bytes;
  };
  EXPECT_EQ(bytes({1, 16}), 16 * 64 * 4 + 16 * 8 + 16 * 64 * 4) << "rows, ids, the result";
  EXPECT_EQ(bytes({2, 1000}), 1000 * 64 * 4 + 2000 * 8 + 2000 * 64 * 4) << "each row once";
}

// An extent in the middle of a shape is replaced, as updates of a cache write it.
TEST(Scatter, OfKnownNumbersIsComputed) {
  const auto shape = [](const char* op, const char* reduction) {
    Model model(18);
    model.input("x", {1, 4, 128, 16}).input("u", {1, 1, 1, 1}).integers("third", {-2});
    model.integers("one", {1}).integers("last", {1}).node("Shape", {"x"}, {"all"});
    model.node("Unsqueeze", {"third", "last"}, {"tuple"});
    const bool is_tuple = std::string(op) == "ScatterND";
    model.node(op, {"all", is_tuple ? "tuple" : "third", "one"}, {"s"},
               {{"reduction", std::string(reduction)}});
    return model.node("Expand", {"u", "s"}, {"y"}).output("y").layer().outputs[0].shape;
  };
  EXPECT_EQ(shape("ScatterElements", "none"), (Dims{1, 4, 1, 16}));
  EXPECT_EQ(shape("ScatterND", "none"), (Dims{1, 4, 1, 16}));
  EXPECT_FALSE(shape("ScatterElements", "add"));
}

TEST(Scatter, CopiesTheDataAndTheUpdates) {
  Model model(13);
  model.input("x", {4, 8}).input("i", {2, 1}, ::onnx::TensorProto::INT64).input("u", {2, 8});
  const LoweredLayer layer = model.node("ScatterND", {"x", "i", "u"}, {"y"}).output("y").layer();
  EXPECT_THAT(layer.problems, ElementsAre("copy/32_f1_t1", "copy/16_f1_t1"));
  EXPECT_EQ(layer.calls[1].operands[0].index, 2);
}

// As networks on graphs sum messages: 5 rows of 4 elements go to rows of 8 x 4.
TEST(Scatter, UpdatesAreCombinedInParts) {
  const auto layer = [](const char* reduction) {
    Model model(18);
    model.input("x", {8, 4}).input("u", {5, 4}).input("i", {5, 1}, ::onnx::TensorProto::INT64);
    model.node("ScatterND", {"x", "i", "u"}, {"y"});
    auto& attribute = *model.last().add_attribute();
    attribute.set_name("reduction");
    attribute.set_type(::onnx::AttributeProto::STRING);
    attribute.set_s(reduction);
    return model.output("y").layer();
  };
  EXPECT_THAT(layer("add").problems,
              ElementsAre("copy/20_f1_t1", "add/5x4_5x4", "copy/20_f1_t1", "copy/32_f1_t1"));
  EXPECT_THAT(layer("max").problems, testing::Contains("max/5x4_5x4"));
  EXPECT_THAT(layer("mean").reason, testing::HasSubstr("mean"));
}

TEST(Expand, ReadsAgainAndAgain) {
  Model model(13);
  model.input("x", {2, 1, 4}).integers("shape", {2, 3, 4});
  EXPECT_THAT(model.node("Expand", {"x", "shape"}, {"y"}).output("y").layer().problems,
              ElementsAre("copy/2x3x4_f4.0.1_t12.4.1"));
}

TEST(Tile, RepeatsWholeAxes) {
  Model model(13);
  model.input("x", {2, 4}).integers("repeats", {3, 2});
  EXPECT_THAT(model.node("Tile", {"x", "repeats"}, {"y"}).output("y").layer().problems,
              ElementsAre("copy/3x2x2x4_f0.4.0.1_t16.8.4.1"));
}

TEST(DepthToSpace, IsATransposition) {
  Model model(13);
  model.input("x", {1, 8, 2, 3});
  EXPECT_THAT(Model(model)
                  .node("DepthToSpace", {"x"}, {"y"}, {{"blocksize", 2}, {"mode", "CRD"}})
                  .output("y")
                  .layer()
                  .problems,
              ElementsAre("copy/2x2x2x3x2_f24.3.12.1.6_t24.12.6.2.1"));
}

LoweredLayer resize(Attributes attributes, const Dims& sizes, int opset = 13) {
  return Model(opset)
      .input("x", {1, 2, 4, 6})
      .integers("sizes", sizes)
      .node("Resize", {"x", "", "", "sizes"}, {"y"}, attributes)
      .output("y")
      .layer();
}

TEST(Resize, NearestByWholeFactorsIsACopy) {
  const LoweredLayer twice = resize({{"mode", "nearest"},
                                     {"coordinate_transformation_mode", "asymmetric"},
                                     {"nearest_mode", "floor"}},
                                    {1, 2, 8, 12});
  EXPECT_EQ(twice.cost, Cost::movement);
  EXPECT_THAT(twice.problems, ElementsAre("copy/8x2x6x2_f6.0.1.0_t24.12.2.1"));
  const LoweredLayer half = resize({{"mode", "nearest"},
                                    {"coordinate_transformation_mode", "asymmetric"},
                                    {"nearest_mode", "floor"}},
                                   {1, 2, 2, 3});
  EXPECT_THAT(half.problems, ElementsAre("copy/4x3_f12.2_t3.1"));
}

TEST(Resize, InterpolationIsAProductForEveryAxis) {
  const std::vector<std::string> products{"gemm/m8_n9_k6_nn_w", "gemm/m8_n9_k4_nn_a1_b2"};
  for (const char* mode : {"linear", "cubic"}) {
    const LoweredLayer layer =
        resize({{"mode", mode}, {"coordinate_transformation_mode", "align_corners"}}, {1, 2, 8, 9});
    EXPECT_EQ(layer.cost, Cost::measured);
    EXPECT_EQ(layer.problems, products) << mode;
    EXPECT_FALSE(layer.whole) << mode;
  }
  EXPECT_THAT(resize({{"mode", "linear"}}, {1, 2, 4, 9}).problems,
              ElementsAre("gemm/m8_n9_k6_nn_w"));
  EXPECT_THAT(resize({{"mode", "linear"}}, {1, 2, 8, 6}).problems,
              ElementsAre("gemm/m8_n6_k4_nn_a1_b2"));
}

TEST(Resize, LinearIsAResamplingWhereThePixelsAgree) {
  for (const char* coordinates : {"half_pixel", "pytorch_half_pixel"}) {
    const LoweredLayer layer =
        resize({{"mode", "linear"}, {"coordinate_transformation_mode", coordinates}}, {1, 2, 8, 9});
    ASSERT_TRUE(layer.whole) << coordinates;
    EXPECT_EQ(key(*layer.whole), "resample/1x2x4x6_o8x9_linear");
    const auto fusions = fusion::find_fusions({layer});
    ASSERT_EQ(fusions.size(), 1U);
    EXPECT_EQ(fusions[0].problem, "resample/1x2x4x6_o8x9_linear");
    EXPECT_TRUE(fusions[0].whole);
  }
}

TEST(Resize, SaysWhatItCannotDo) {
  EXPECT_THAT(resize({{"mode", "linear"}, {"coordinate_transformation_mode", "tf_crop_and_resize"}},
                     {1, 2, 8, 9})
                  .reason,
              HasSubstr("tf_crop_and_resize"));
  EXPECT_THAT(resize({{"mode", "magic"}}, {1, 2, 8, 9}).reason, HasSubstr("magic"));
  EXPECT_EQ(resize({{"mode", "linear"}}, {1, 2, 4, 6}).cost, Cost::free);
}

LoweredLayer einsum(const std::string& equation, const Dims& a, const Dims& b) {
  return Model(13)
      .input("a", a)
      .input("b", b)
      .node("Einsum", {"a", "b"}, {"y"}, {{"equation", equation}})
      .output("y")
      .layer();
}

TEST(Einsum, IsAProductOfMatrices) {
  EXPECT_THAT(einsum("bik,bkj->bij", {2, 3, 4}, {2, 4, 5}).problems,
              ElementsAre("gemm/m3_n5_k4_nn_a2_b2"));
  EXPECT_THAT(einsum("bhid,bhjd->bhij", {2, 6, 3, 4}, {2, 6, 5, 4}).problems,
              ElementsAre("gemm/m3_n5_k4_nt_a12_b12"));
  EXPECT_THAT(einsum("...ik,kj", {2, 3, 4}, {4, 5}).problems, ElementsAre("gemm/m6_n5_k4_nn"));
}

TEST(Einsum, PutsAxesInOrderFirst) {
  // Heads after the length, as attention is often written.
  EXPECT_THAT(einsum("bqhd,bkhd->bhqk", {2, 3, 6, 4}, {2, 5, 6, 4}).problems,
              ElementsAre("copy/2x6x3x4_f72.4.24.1_t72.12.4.1",
                          "copy/2x6x5x4_f120.4.24.1_t120.20.4.1", "gemm/m3_n5_k4_nt_a12_b12"));
}

TEST(Einsum, OfTheSameAxesIsElementwise) {
  EXPECT_THAT(einsum("ij,ij->ij", {2, 3}, {2, 3}).problems, ElementsAre("mul/2x3_2x3"));
}

TEST(Einsum, WithoutASumIsElementwise) {
  EXPECT_THAT(einsum("nchw,c->nchw", {2, 3, 4, 5}, {3}).problems,
              ElementsAre("mul/2x3x4x5_1x3x1x1"));
  EXPECT_THAT(einsum("ij,jik->jik", {2, 3}, {3, 2, 4}).problems,
              ElementsAre("copy/3x2_f1.3_t2.1", "mul/3x2x4_3x2x1"));
  EXPECT_THAT(einsum("i,j->ij", {2}, {3}).problems, ElementsAre("gemm/m2_n3_k1_nn"));
}

TEST(Einsum, SumsOverOneOperandAloneFirst) {
  EXPECT_THAT(einsum("ij,jk->k", {2, 3}, {3, 4}).problems,
              ElementsAre("reducesum/2x3_a0", "gemm/m1_n4_k3_nn"));
}

TEST(Einsum, OfMoreThanTwoIsAProductAtATime) {
  Model model(13);
  model.input("a", {2, 3, 4}).input("b", {2, 4, 5}).input("c", {5, 6});
  model.node("Einsum", {"a", "b", "c"}, {"y"}, {{"equation", "bij,bjk,kl->bil"}});
  EXPECT_THAT(model.output("y").layer().problems,
              ElementsAre("gemm/m3_n5_k4_nn_a2_b2", "gemm/m6_n6_k5_nn"));
}

TEST(Einsum, SaysWhatItCannotDo) {
  EXPECT_THAT(einsum("ii,ik->ik", {3, 3}, {3, 4}).reason, HasSubstr("diagonal"));
}

}  // namespace
}  // namespace benanza::onnx
