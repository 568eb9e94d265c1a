// Operators of ONNX Runtime that are parts of others, or stand for those of ONNX.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generator/tests/onnx/stored.h"

namespace benanza::onnx {
namespace {

using ::onnx::TensorProto;
using testing::ElementsAre;
using testing::HasSubstr;

Model parts() {
  Model model(21);
  return model.domain("com.microsoft", 1);
}

TEST(ContribParts, AHalfTimesTheGeluOfTheOther) {
  Model model = parts().input("x", {2, 3, 8}).weights("b", {8});
  add_microsoft(model, "BiasSplitGelu", {"x", "b"}, {"y"});
  const LoweredLayer layer = model.output("y").layer();
  EXPECT_THAT(layer.problems, ElementsAre("add/2x3x8_1x1x8_w", "copy/6x4_f8.1_t4.1",
                                          "copy/6x4_f8.1_t4.1", "gelu/2x3x4", "mul/2x3x4_2x3x4"));
  EXPECT_EQ(layer.calls[1].from_offset, 0);
  EXPECT_EQ(layer.calls[2].from_offset, 4);
  EXPECT_EQ(layer.outputs[0].shape, (Dims{2, 3, 4}));
}

TEST(ContribParts, ADropoutOfInferenceAddsItsBiasAndItsResidual) {
  Model model = parts().input("x", {2, 8}).weights("b", {8}).input("r", {2, 8});
  model.scalar("ratio", 0.5F).truths("trains", {}, {false});
  Model training = model;
  add_microsoft(model, "BiasDropout", {"x", "b", "r", "ratio", "trains"}, {"y"}, {{"seed", 3}});
  EXPECT_THAT(model.output("y").layer().problems, ElementsAre("add/2x8_1x8_w", "add/2x8_2x8"));
  training.truths("does", {}, {true});
  add_microsoft(training, "BiasDropout", {"x", "b", "r", "ratio", "does"}, {"y"});
  EXPECT_THAT(training.output("y").layer().reason, HasSubstr("drops"));
}

TEST(ContribParts, PadsAndAxesAreThoseOfOnnx) {
  Model model = parts().input("x", {2, 3}).integers("pads", {0, 1, 0, 2}).scalar("v", 0);
  add_microsoft(model, "Pad", {"x", "pads", "v"}, {"p"});
  EXPECT_THAT(Model(model).output("p").layer().problems, ElementsAre("copy/2x3_f3.1_t6.1"));
  EXPECT_EQ(Model(model).output("p").layer().outputs[0].shape, (Dims{2, 6}));
  model.integers("axis", {-1});
  add_microsoft(model, "ExpandDims", {"p", "axis"}, {"y"});
  const LoweredLayer layer = model.output("y").layer();
  EXPECT_EQ(layer.cost, Cost::free);
  EXPECT_EQ(layer.outputs[0].shape, (Dims{2, 6, 1}));
}

TEST(ContribParts, ARangeOfConstantsIsOne) {
  Model model = parts().integers("from", {2}).integers("to", {9}).integers("by", {3});
  add_microsoft(model, "Range", {"from", "to", "by"}, {"r"});
  Model other = parts().input("from", {}, TensorProto::INT64).integers("to", {9});
  const LoweredLayer layer = model.output("r").layer();
  EXPECT_EQ(layer.cost, Cost::free);
  EXPECT_EQ(layer.outputs[0].shape, (Dims{3})) << "2, 5, 8";
  add_microsoft(other, "Range", {"from", "to"}, {"r"});
  EXPECT_EQ(other.output("r").layer().cost, Cost::unsupported);
}

TEST(ContribParts, OneSideOfADiagonalIsAChoice) {
  const auto triangle = [](const char* domain, int type) {
    Model model = parts().input("x", {2, 3, 4}, type);
    model.node("Trilu", {"x"}, {"y"}, {{"upper", 0}}).last().set_domain(domain);
    return model.output("y").layer();
  };
  for (const char* domain : {"", "com.microsoft"}) {
    EXPECT_THAT(triangle(domain, TensorProto::FLOAT).problems,
                ElementsAre("select/1x3x4_w_a2x3x4_vb0"))
        << domain;
  }
  const LoweredLayer integers = triangle("", TensorProto::INT64);
  EXPECT_THAT(integers.problems, ElementsAre("copy/24_f1_t1"));
  EXPECT_THAT(integers.reason, HasSubstr("integers"));
}

TEST(ContribParts, ATriangleWhoseDiagonalIsOpenIsNamed) {
  Model model = parts().input("x", {3, 4}).input("k", {}, TensorProto::INT64);
  model.node("Trilu", {"x", "k"}, {"y"});
  EXPECT_EQ(model.output("y").layer().cost, Cost::unsupported);
}

TEST(ContribParts, IntegersThatNoLibraryTakesKeepTheirExtents) {
  Model model = parts().input("a", {2, 3}, TensorProto::INT8).input("b", {3}, TensorProto::INT8);
  Model sums = model;
  add_microsoft(model, "MulInteger", {"a", "", "b"}, {"y"});
  const LoweredLayer product = model.output("y").layer();
  EXPECT_EQ(product.cost, Cost::unsupported);
  EXPECT_EQ(product.outputs[0].type, "int32");
  EXPECT_EQ(product.outputs[0].shape, (Dims{2, 3}));
  add_microsoft(sums, "ReduceSumInteger", {"a"}, {"y"}, {{"axes", Dims{1}}, {"keepdims", 0}});
  EXPECT_EQ(sums.output("y").layer().outputs[0].shape, (Dims{2}));
}

TEST(ContribParts, ABiasByDistanceIsACopy) {
  Model model = parts().weights("table", {32, 4}).input("n", {}, TensorProto::INT64);
  model.integers("five", {5}).integers("seven", {7});
  add_microsoft(model, "RelativePositionBias", {"table", "five", "seven"}, {"y"},
                {{"max_distance", 128}, {"is_bidirectional", 1}});
  Model changing = parts().input("table", {32, 4}).integers("five", {5}).integers("seven", {7});
  add_microsoft(changing, "RelativePositionBias", {"table", "five", "seven"}, {"y"},
                {{"max_distance", 128}});
  const LoweredLayer layer = changing.output("y").layer();
  EXPECT_EQ(layer.cost, Cost::movement);
  EXPECT_EQ(layer.outputs[0].shape, (Dims{1, 4, 5, 7}));
  EXPECT_THAT(layer.problems, ElementsAre("copy/140_f0_t1"));
  EXPECT_EQ(model.output("y").layer().outputs[0].shape, (Dims{1, 4, 5, 7}));
}

TEST(ContribParts, AGatedBiasIsAProductAndItsGates) {
  Model model = parts().input("x", {2, 3, 8}).weights("qb", {8}).input("p", {1, 2, 3, 3});
  model.weights("w", {4, 6}).weights("b", {6}).weights("a", {1, 2, 1, 1});
  add_microsoft(model, "GatedRelativePositionBias", {"x", "qb", "p", "w", "b", "a"}, {"y"},
                {{"num_heads", 2}});
  const LoweredLayer layer = model.output("y").layer();
  EXPECT_THAT(
      layer.problems,
      ElementsAre("add/2x3x8_1x1x8_w", "copy/2x2x3x4_f24.4.8.1_t24.12.4.1", "gemm/m12_n6_k4_nn_w",
                  "add/12x6_1x6_w", "reducesum/12x2x3_a2", "sigmoid/12x2", "copy/12_f2_t1",
                  "copy/12_f2_t1", "mul/2x2x3x1_1x2x1x1_w", "linear/2x2x3x1_a1_b-1",
                  "mul/2x2x3x1_2x2x3x1", "linear/2x2x3x1_a1_b2", "mul/1x2x3x3_2x2x3x1"))
      << layer.reason;
  EXPECT_EQ(layer.outputs[0].shape, (Dims{2, 2, 3, 3}));
}

TEST(ContribParts, ARotationOfNormalizedRows) {
  Model model = parts().input("x", {2, 3, 4, 10}, TensorProto::FLOAT16).weights("g", {8});
  model.input("at", {2, 3}, TensorProto::INT64).weights("c", {64, 2}).weights("s", {64, 2});
  add_microsoft(
      model, "RMSNormRotary", {"x", "g", "at", "c", "s"}, {"y"},
      {{"input_start", 1}, {"input_width", 8}, {"rotary_embedding_dim", 4}, {"output_fp16", 1}});
  const LoweredLayer layer = model.output("y").layer();
  EXPECT_THAT(layer.problems, ElementsAre("copy/24x8_f10.1_t8.1", "rmsnorm/24x8_e1e-06_s",
                                          "rotary/2x3x4x4_t2x3x1x2", "copy/24x4_f8.1_t8.1"))
      << layer.reason;
  EXPECT_EQ(layer.outputs[0].shape, (Dims{2, 3, 32}));
  EXPECT_EQ(layer.outputs[0].type, "float16");
}

LoweredGraph bnb4(std::int64_t kind, std::int64_t k) {
  Model model = parts().input("x", {2, k});
  stored(model, "w", {96 * k / 2}, TensorProto::UINT8);
  stored(model, "s", {96 * k / 32}, TensorProto::FLOAT);
  add_microsoft(model, "MatMulBnb4", {"x", "w", "s"}, {"y"},
                {{"K", k}, {"N", 96}, {"block_size", 32}, {"quant_type", kind}});
  return model.output("y").import();
}

TEST(ContribParts, NumbersOfBitsandbytesAreFp4OrNf4) {
  const LoweredGraph four = bnb4(0, 64);
  EXPECT_THAT(four.layers[0].problems, ElementsAre("gemm/m2_n96_k64_nt_w_packed.fp4.b32"))
      << four.layers[0].reason;
  EXPECT_EQ(four.compulsory.weights, (Traffic{.elements = 192, .bytes = 3072}));
  const LoweredGraph normal = bnb4(1, 64);
  EXPECT_THAT(normal.layers[0].problems, ElementsAre("gemm/m2_n96_k64_nt_w_packed.nf4.b32"))
      << normal.layers[0].reason;
  EXPECT_EQ(normal.compulsory.weights, (Traffic{.elements = 192, .bytes = 3072}));
  EXPECT_THAT(bnb4(2, 64).layers[0].reason, HasSubstr("quant_type 2"));
  EXPECT_THAT(bnb4(0, 48).layers[0].reason, HasSubstr("more than one column"));
}

TEST(ContribParts, ABlobOfWeightsHasItsBlocks) {
  const auto product = [](std::int64_t kind, std::int64_t bytes) {
    Model model = parts().input("x", {2, 64}).integers("extents", {64, 96});
    stored(model, "w", {bytes}, TensorProto::UINT8);
    add_microsoft(model, "MatMulFpQ4", {"x", "w", "extents"}, {"y"}, {{"blk_quant_type", kind}});
    return model.output("y").layer();
  };
  EXPECT_THAT(product(0, 3840).problems, ElementsAre("gemm/m2_n96_k64_nt_w_packed.int4.b32"));
  EXPECT_THAT(product(1, 4032).problems, ElementsAre("gemm/m2_n96_k64_nt_w_packed.uint4.b32.z"));
  EXPECT_THAT(product(2, 3456).problems, ElementsAre("gemm/m2_n96_k64_nt_w_packed.int4.b64"));
  EXPECT_EQ(product(9, 3456).cost, Cost::unsupported);
}

TEST(ContribParts, SpectraOfRealNumbersAreProducts) {
  Model model = parts().input("x", {2, 3, 16});
  add_microsoft(model, "Rfft", {"x"}, {"f"}, {{"signal_ndim", 1}});
  const LoweredLayer there = Model(model).output("f").layer();
  EXPECT_EQ(there.outputs[0].shape, (Dims{2, 3, 9, 2}));
  EXPECT_THAT(there.problems, ElementsAre("gemm/m6_n18_k16_nn_w"));
  add_microsoft(model, "Irfft", {"f"}, {"y"}, {{"signal_ndim", 1}});
  const LoweredLayer back = Model(model).output("y").layer();
  EXPECT_EQ(back.outputs[0].shape, (Dims{2, 3, 16}));
  EXPECT_THAT(back.problems, ElementsAre("gemm/m6_n16_k18_nn_w"));
  add_microsoft(model, "Rfft", {"y"}, {"z"}, {{"signal_ndim", 2}});
  EXPECT_THAT(model.output("z").layer().reason, HasSubstr("several axes"));
}

TEST(ContribParts, EmbeddingsOfBytesAreConverted) {
  Model model = parts().input("ids", {2, 5}, TensorProto::INT32).scalar("s", 0.5F);
  stored(model, "words", {100, 8}, TensorProto::UINT8);
  stored(model, "places", {64, 8}, TensorProto::UINT8);
  stored(model, "g", {8}, TensorProto::UINT8);
  stored(model, "z", {}, TensorProto::UINT8);
  add_microsoft(model, "QEmbedLayerNormalization",
                {"ids", "", "words", "places", "", "g", "g", "", "s", "s", "", "s", "s", "z", "z",
                 "", "z", "z"},
                {"y", "count"});
  const LoweredGraph graph = model.output("y").import();
  EXPECT_THAT(
      graph.layers[0].problems,
      ElementsAre("copy/20_f1_t1", "dequantize/2x5x8", "copy/10_f1_t1", "dequantize/1x5x8",
                  "add/2x5x8_1x5x8", "dequantize/8", "dequantize/8", "layernorm/10x8_e1e-12_sb"))
      << graph.layers[0].reason;
  EXPECT_EQ(graph.layers[0].outputs[0].type, "float");
}

}  // namespace
}  // namespace benanza::onnx
