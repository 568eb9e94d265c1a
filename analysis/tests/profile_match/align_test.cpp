#include "analysis/profile_match/align.h"

#include <gmock/gmock.h>

#include <map>

#include "analysis/profile_match/evidence.h"
#include "analysis/profile_match/same_model.h"
#include "analysis/profiles/profile.h"
#include "analysis/tests/trace.h"

namespace benanza::analysis {
namespace {

using test::data;
using test::error_of;
using test::profile_of;
using test::TraceWriter;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Signature, IsEqualForTheSameWork) {
  // Equal despite transposed weights, batch dimensions merged into rows, or a constant operand.
  EXPECT_EQ(signature("gemm/m128_n768_k3072_nn_w"), signature("gemm/m128_n768_k3072_nt"));
  EXPECT_EQ(signature("gemm/m64_n64_k8_nn_a2x6_b2x6"), signature("gemm/m64_n64_k8_nt_a12_b12"));
  EXPECT_NE(signature("gemm/m64_n64_k8_nn_a2x6_b2x6"), signature("gemm/m64_n64_k8_nn_a13_b13"));
  EXPECT_NE(signature("gemm/m128_n768_k3072_nn"), signature("gemm/m128_n3072_k768_nn"));
  EXPECT_EQ(signature("add/1x128x768_1x1x768_w"), signature("add/1x1x768_1x128x768"));
  EXPECT_NE(signature("sub/1x128x768_1x1x768"), signature("sub/1x1x768_1x128x768"));
  EXPECT_EQ(signature("avgpool/1x8x7x7_k7x7_p0.0.0.0_s1x1_d1x1_exclude"),
            signature("reducemean/1x8x7x7_a2.3"));
  EXPECT_NE(signature("maxpool/1x8x7x7_k7x7_p0.0.0.0_s1x1_d1x1"),
            signature("reducemean/1x8x7x7_a2.3"));
  EXPECT_EQ(signature("relu/1x8"), "relu/1x8");
  EXPECT_EQ(signature("no key"), "no key");
}

TEST(Signature, APaddedProductIsRoundedUpToFoursOrEights) {
  const std::string asked = signature("gemm/m49_n3072_k768_nn_w");
  EXPECT_TRUE(is_padded(signature("gemm/m56_n3072_k768_nn"), asked));
  EXPECT_TRUE(is_padded(signature("gemm/m52_n3072_k768_nn"), asked));
  EXPECT_TRUE(is_padded(asked, asked));
  EXPECT_FALSE(is_padded(signature("gemm/m50_n3072_k768_nn"), asked));
  EXPECT_FALSE(is_padded(signature("gemm/m64_n3072_k768_nn"), asked));
  EXPECT_FALSE(is_padded(signature("gemm/m56_n3072_k768_nn_a2_b2"), asked));
  EXPECT_FALSE(is_padded("relu/56x3072", "relu/49x3072"));
}

Layer aligned_layer(const std::string& name, const std::string& op, std::vector<std::size_t> inputs,
                    const std::string& key, Dims output = {}) {
  Layer made{.name = name, .op = op, .inputs = std::move(inputs), .problems = {key}};
  made.outputs = {{.shape = std::move(output)}};
  return made;
}

ProfiledNode aligned_node(const std::string& op, const std::string& key, const Dims& output = {}) {
  return {.name = "aten::" + op,
          .op = op,
          .seconds = 1e-6,
          .parts = {{.op = op, .problem = key, .output = output}}};
}

TEST(Align, ExtraAndMissingOperatorsDoNotShiftTheRest) {
  const Graph graph{.model = "m",
                    .layers = {aligned_layer("a", "Relu", {}, "relu/1x1"),
                               aligned_layer("b", "Relu", {0}, "relu/1x2"),
                               aligned_layer("c", "Relu", {1}, "relu/1x3")}};
  const Mapping mapping =
      map_layers(graph, {aligned_node("Relu", "relu/1x1"), aligned_node("Tanh", "tanh/1x1"),
                         aligned_node("Relu", "relu/1x3")});
  EXPECT_THAT(mapping.layers_of_node,
              ElementsAre(ElementsAre(0, 1), ElementsAre(), ElementsAre(2)));
  EXPECT_THAT(mapping.found,
              ElementsAre(MatchKind::problem, MatchKind::inside, MatchKind::problem));
  const Quality result = quality(graph, mapping);
  EXPECT_EQ(result.layers, 3);
  EXPECT_EQ(result.matched, 2);
  EXPECT_EQ(result.inside, 1);
  EXPECT_EQ(result.extra, 1);
  EXPECT_EQ(result.missing, 0);
}

TEST(Align, OtherAttributesAreStillTheLayer) {
  const Graph graph{
      .model = "m",
      .layers = {aligned_layer("c", "Conv", {}, "conv/1x3x8x8_k4x3x3_p1.1.1.1_s1x1_d1x1_g1")}};
  const Mapping mapping =
      map_layers(graph, {aligned_node("Conv", "conv/1x4x8x8_k4x3x3_p1.1.1.1_s1x1_d1x1_g1")});
  EXPECT_THAT(mapping.found, ElementsAre(MatchKind::kind));
  ASSERT_EQ(mapping.pairs.size(), 1);
  EXPECT_EQ(mapping.pairs[0].layer, 0);
}

TEST(Align, APaddedProductIsItsLayer) {
  const Graph graph{
      .model = "m",
      .layers = {aligned_layer("a", "MatMul", {}, "gemm/m49_n3072_k768_nn_w", {49, 3072}),
                 aligned_layer("b", "MatMul", {0}, "gemm/m49_n768_k3072_nn_w", {49, 768})}};
  const Mapping mapping =
      map_layers(graph, {aligned_node("MatMul", "gemm/m56_n3072_k768_nn", {56, 3072}),
                         aligned_node("MatMul", "gemm/m49_n768_k3072_nn", {49, 768})});
  EXPECT_THAT(mapping.found, ElementsAre(MatchKind::problem, MatchKind::problem));
}

TEST(Align, BranchesInAnotherOrderAreFoundAndNamed) {
  // a -> b, a -> c; the framework ran c before b.
  const Graph graph{.model = "m",
                    .layers = {aligned_layer("a", "Relu", {}, "relu/1x1"),
                               aligned_layer("b", "Relu", {0}, "relu/1x2"),
                               aligned_layer("c", "Relu", {0}, "relu/1x3")}};
  const Mapping mapping =
      map_layers(graph, {aligned_node("Relu", "relu/1x1"), aligned_node("Relu", "relu/1x3"),
                         aligned_node("Relu", "relu/1x2")});
  EXPECT_THAT(mapping.layers_of_node, ElementsAre(ElementsAre(0), ElementsAre(2), ElementsAre(1)));
  EXPECT_EQ(quality(graph, mapping).moved, 1);
}

TEST(Align, AnOptionalPartTakesOnlyItsOwn) {
  // A product with a bias, then a residual add of the same shape. The model's bias is in its Gemm.
  ProfiledNode product = aligned_node("MatMul", "gemm/m4_n8_k2_nt_w", {4, 8});
  product.parts.push_back(
      {.op = "Add", .problem = "add/4x8_1x8", .output = {4, 8}, .optional = true});
  const Graph folded{.model = "m",
                     .layers = {aligned_layer("p", "Gemm", {}, "gemm/m4_n8_k2_nn_w", {4, 8}),
                                aligned_layer("r", "Add", {0}, "add/4x8_4x8", {4, 8})}};
  const Mapping first = map_layers(folded, {product});
  EXPECT_THAT(first.found, ElementsAre(MatchKind::problem, MatchKind::inside));
  const Graph add_edge{.model = "m",
                       .layers = {aligned_layer("p", "MatMul", {}, "gemm/m4_n8_k2_nn_w", {4, 8}),
                                  aligned_layer("bias", "Add", {0}, "add/4x8_1x8_w", {4, 8}),
                                  aligned_layer("r", "Add", {1}, "add/4x8_4x8", {4, 8})}};
  const Mapping second =
      map_layers(add_edge, {product, aligned_node("Add", "add/4x8_4x8", {4, 8})});
  EXPECT_THAT(second.layers_of_node, ElementsAre(ElementsAre(0, 1), ElementsAre(2)));
}

TEST(Align, StepsOfOneOperatorMayBeLayers) {
  ProfiledNode gelu{.name = "aten::gelu", .op = "Gelu"};
  for (const char* step : {"Gelu", "Div", "Erf", "Add", "Mul", "Mul"}) {
    gelu.parts.push_back(
        {.op = step, .problem = "", .output = {2, 8}, .optional = gelu.parts.size() > 0});
  }
  Graph graph{.model = "m",
              .layers = {aligned_layer("d", "Div", {}, "div/2x8_1x1_w", {2, 8}),
                         aligned_layer("e", "Erf", {0}, "", {2, 8}),
                         aligned_layer("a", "Add", {1}, "add/2x8_1x1_w", {2, 8}),
                         aligned_layer("m", "Mul", {2}, "mul/2x8_2x8", {2, 8}),
                         aligned_layer("h", "Mul", {3}, "mul/2x8_1x1_w", {2, 8})}};
  graph.layers[1].cost = Cost::unsupported;
  graph.layers[1].problems.clear();
  EXPECT_THAT(map_layers(graph, {gelu}).layers_of_node[0], ElementsAre(0, 1, 2, 3, 4));
}

/// Per operator with work to do: the number of its layers by MatchKind.
std::map<std::string, std::map<std::string, int>> tally(const Graph& graph,
                                                        const Mapping& mapping) {
  std::map<std::string, std::map<std::string, int>> counts;
  for (std::size_t i = 0; i < graph.layers.size(); ++i) {
    if (graph.layers[i].cost == Cost::free) continue;
    ++counts[graph.layers[i].op][std::string(to_string(mapping.found[i]))];
  }
  return counts;
}

using Counts = std::map<std::string, std::map<std::string, int>>;

TEST(Align, ARealTraceToItsModelLayerByLayer) {
  const Profile profile = read_profile(data("resnet50.pytorch.trace.json.gz"));
  const Graph graph = read_graph(data("resnet50.graph.json.gz"));
  const Mapping mapping = map_layers(graph, profile.nodes);
  EXPECT_EQ(tally(graph, mapping), (Counts{{"Add", {{"problem", 16}}},
                                           {"BatchNormalization", {{"problem", 53}}},
                                           {"Conv", {{"problem", 53}}},
                                           {"Gemm", {{"problem", 1}}},
                                           {"GlobalAveragePool", {{"problem", 1}}},
                                           {"MaxPool", {{"problem", 1}}},
                                           {"Relu", {{"problem", 49}}}}));
  EXPECT_EQ(quality(graph, mapping).extra, 0);
  // In order: node i does the i-th layer with work.
  std::size_t next = 0;
  for (std::size_t i = 0; i < graph.layers.size(); ++i) {
    if (graph.layers[i].cost == Cost::free) continue;
    EXPECT_EQ(mapping.node_of_layer[i], next++);
  }
}

TEST(Align, BatchNormalisationsThatTheModelFoldedAreExtra) {
  const Profile profile = read_profile(data("resnet50.pytorch.trace.json.gz"));
  const Graph graph = read_graph(data("torchvision_resnet50.graph.json.gz"));
  const Mapping mapping = map_layers(graph, profile.nodes);
  const Quality result = quality(graph, mapping);
  EXPECT_EQ(result.layers, 121);
  EXPECT_EQ(result.matched, 121);
  EXPECT_EQ(result.extra, 53);
  for (std::size_t i = 0; i < profile.nodes.size(); ++i) {
    EXPECT_EQ(mapping.layers_of_node[i].empty(), profile.nodes[i].name == "aten::batch_norm");
  }
}

std::string refusal(const Graph& graph, const Profile& profile) {
  return error_of([&] { require_same_model(graph, map_layers(graph, profile.nodes), profile); });
}

TEST(SameModel, OtherModelsAndBatchesAreOneLine) {
  Graph graph{.model = "m", .batch = 1};
  for (const std::string number : {"8", "16", "32"}) {
    graph.layers.push_back(aligned_layer("c" + number, "Conv", {},
                                         "conv/1x8x4x4_k" + number + "x1x1_p0.0.0.0_s1x1_d1x1_g1"));
  }
  const auto run = [&](int batch) {
    TraceWriter trace;
    return trace.conv(batch, 8, 8, 4).conv(batch, 8, 16, 4).conv(batch, 8, 32, 4);
  };
  EXPECT_EQ(refusal(graph, profile_of(run(1))), "");
  EXPECT_THAT(
      refusal(graph, profile_of(run(4))),
      AllOf(HasSubstr("profile of batch 4"), HasSubstr("m, batch 1"), HasSubstr("--batch 4")));
  // One of its three convolutions is there: another model.
  EXPECT_THAT(refusal(graph, profile_of(TraceWriter().conv(1, 8, 8, 4).conv(1, 9, 16, 4))),
              AllOf(HasSubstr("another model"), HasSubstr("1 of the 3 convolutions")));
  // All are there, plus as many others.
  TraceWriter more = run(1);
  for (int i = 0; i < 3; ++i) more.conv(1, 5 + i, 8, 4);
  EXPECT_THAT(refusal(graph, profile_of(more)),
              AllOf(HasSubstr("it has 6 convolutions"), HasSubstr("m, batch 1 has 3")));
}

// Profiles have no problem keys for operators of the backward pass.
TEST(SameModel, OfATrainingStepTheForwardPassTells) {
  Graph graph{.model = "m", .batch = 1};
  graph.layers.push_back(
      aligned_layer("c", "Conv", {}, "conv/1x8x4x4_k8x1x1_p0.0.0.0_s1x1_d1x1_g1"));
  graph.layers.push_back(
      aligned_layer("c.data_gradient", "Conv", {0}, "deconv/1x8x4x4_k8x1x1_p0.0.0.0_s1x1_d1x1_g1"));
  graph.layers.push_back(aligned_layer("c.other", "Gemm", {1}, "gemm/m4_n8_k8_nn"));
  TraceWriter trace;
  trace.conv(1, 8, 8, 4).op("aten::convolution_backward", {{1, 8, 4, 4}}, {}, {{"dgrad", 1}});
  for (int i = 0; i < 6; ++i) trace.op("aten::mm", {{7, 5}, {5, 3}}, {}, {{"sgemm", 1}});
  const Profile profile = profile_of(trace);
  EXPECT_THAT(refusal(graph, profile), HasSubstr("1 of the 3 convolutions"));
  graph.layers[0].phase = "forward";
  graph.layers[1].phase = "backward";
  graph.layers[2].phase = "update";
  EXPECT_EQ(refusal(graph, profile), "");
}

}  // namespace
}  // namespace benanza::analysis
