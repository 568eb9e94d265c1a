// What the shapes that an operator states say about the layers that it is named after.

#include "analysis/profile_match/evidence.h"

#include <gmock/gmock.h>

#include "analysis/profile_match/mapping.h"

namespace benanza::analysis {
namespace {

using testing::ElementsAre;

Layer shaped_layer(const std::string& name, const std::string& op, std::vector<std::size_t> inputs,
                   std::vector<std::string> problems, Dims output) {
  return {.name = name,
          .op = op,
          .inputs = std::move(inputs),
          .problems = std::move(problems),
          .outputs = {{.name = name + "_out", .type = "float", .shape = std::move(output)}}};
}

/// A convolution of 8 to 10 channels, 3x3, and a ReLU; then a product of 2x4 rows and a sum.
const Graph evidence_graph{
    .model = "m",
    .layers = {shaped_layer("c", "Conv", {}, {"conv/1x8x6x6_k10x3x3_p1.1.1.1_s1x1_d1x1_g1"},
                            {1, 10, 6, 6}),
               shaped_layer("r", "Relu", {0}, {"relu/1x10x6x6"}, {1, 10, 6, 6}),
               shaped_layer("p", "MatMul", {}, {"gemm/m8_n16_k32_nn_w"}, {2, 4, 16}),
               shaped_layer("s", "Add", {2}, {"add/2x4x16_1x1x16_w"}, {2, 4, 16}),
               shaped_layer("g", "GlobalAveragePool", {1},
                            {"avgpool/1x10x6x6_k6x6_p0.0.0.0_s1x1_d1x1_exclude"}, {1, 10, 1, 1})}};

ProfiledNode shaped_node(const std::string& name, const std::string& op, std::vector<Dims> inputs,
                         std::vector<Dims> outputs) {
  return {.name = name,
          .origin = name,
          .op = op,
          .seconds = 1e-6,
          .inputs = std::move(inputs),
          .outputs = std::move(outputs)};
}

TEST(Evidence, IsThatOfOperandsAndResult) {
  const auto of = [](std::vector<Dims> inputs, std::vector<Dims> outputs) {
    return evidence(evidence_graph, shaped_node("c", "Conv", std::move(inputs), std::move(outputs)),
                    {0});
  };
  const Dims input{1, 8, 6, 6};
  const Dims weights{10, 8, 3, 3};
  EXPECT_EQ(of({input, weights}, {{1, 10, 6, 6}}), Evidence::agrees);
  // A blocked layout fills the channels.
  EXPECT_EQ(of({input, {16, 8, 3, 3}}, {{1, 16, 6, 6}}), Evidence::agrees);
  EXPECT_EQ(of({input, weights}, {{1, 10, 5, 6}}), Evidence::differs);
  EXPECT_EQ(of({input, weights}, {{1, 11, 6, 6}}), Evidence::differs);
  EXPECT_EQ(of({input, {10, 8, 1, 1}}, {{1, 10, 6, 6}}), Evidence::differs);
  EXPECT_EQ(of({input, {10, 4, 3, 3}}, {{1, 10, 6, 6}}), Evidence::differs);
  // Arranged differently, or without weights: it says too little.
  EXPECT_EQ(of({input, weights}, {{1, 6, 6, 10}}), Evidence::none);
  EXPECT_EQ(of({input}, {{1, 10, 6, 6}}), Evidence::none);
  EXPECT_EQ(of({}, {}), Evidence::none);
}

TEST(Evidence, RowsOfAProductMayBeMerged) {
  const auto of = [](std::vector<Dims> inputs, std::vector<Dims> outputs) {
    return evidence(evidence_graph, shaped_node("p", "Gemm", std::move(inputs), std::move(outputs)),
                    {2, 3});
  };
  EXPECT_EQ(of({{8, 32}, {16}}, {{8, 16}}), Evidence::agrees);
  EXPECT_EQ(of({{2, 4, 32}}, {{2, 4, 16}}), Evidence::agrees);
  EXPECT_EQ(of({{8, 64}}, {{8, 16}}), Evidence::differs);  // a longer sum
  EXPECT_EQ(of({{16, 32}}, {{16, 16}}), Evidence::differs);
}

TEST(Evidence, IsNoneOfAnotherOperatorOrOfExtentsThatTheDataDecide) {
  EXPECT_EQ(
      evidence(evidence_graph, shaped_node("r", "Relu", {{1, 10, 6, 6}}, {{1, 10, 6, 6}}), {0}),
      Evidence::none);
  Graph assumed = evidence_graph;
  assumed.layers[1].assumed = "boxes:0=100";
  const ProfiledNode relu = shaped_node("r", "Relu", {{1, 10, 3, 3}}, {{1, 10, 3, 3}});
  EXPECT_EQ(evidence(evidence_graph, relu, {1}), Evidence::differs);
  EXPECT_EQ(evidence(assumed, relu, {1}), Evidence::none);
  // Of a mean, the result alone says nothing.
  EXPECT_EQ(evidence(evidence_graph,
                     shaped_node("g", "GlobalAveragePool", {{1, 10, 6, 6}}, {{1, 10, 1, 1}}), {4}),
            Evidence::agrees);
  EXPECT_EQ(evidence(evidence_graph,
                     shaped_node("g", "GlobalAveragePool", {{1, 10, 3, 3}}, {{1, 10, 1, 1}}), {4}),
            Evidence::none);
}

TEST(Evidence, AFusedNameStandsForWhatFollows) {
  ProfiledNode conv =
      shaped_node("fused c", "Conv", {{1, 8, 6, 6}, {10, 8, 3, 3}}, {{1, 10, 6, 6}});
  conv.origin = "c";
  conv.does_next = true;
  conv.does_activation = true;
  ProfiledNode product = shaped_node("p/MatMulAddFusion", "Gemm", {{8, 32}, {16}}, {{8, 16}});
  product.origin = "p";
  product.does_next = true;
  const Mapping mapping = map_layers(evidence_graph, {conv, product});
  EXPECT_THAT(mapping.layers_of_node[0], ElementsAre(0, 1, 4));  // the mean: inside
  EXPECT_THAT(mapping.layers_of_node[1], ElementsAre(2, 3));
  EXPECT_THAT(mapping.evidence, ElementsAre(Evidence::agrees, Evidence::agrees, Evidence::agrees,
                                            Evidence::agrees, Evidence::none));
}

}  // namespace
}  // namespace benanza::analysis
