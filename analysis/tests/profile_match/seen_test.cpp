// The layers that a framework's kernels certainly did, and the bound with these.
#include "analysis/profile_match/seen.h"

#include <gmock/gmock.h>

#include "analysis/profiles/kineto/aten.h"
#include "analysis/questions/bound/seen.h"
#include "analysis/tests/build.h"
#include "analysis/tests/trace.h"

namespace benanza::analysis {
namespace {

using test::five;
using test::measured;
using test::profile_of;
using test::TraceWriter;
using test::us;
using testing::Contains;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::Optional;
using testing::UnorderedElementsAre;

const std::string conv_key = "conv/1x8x4x4_k8x1x1_p0.0.0.0_s1x1_d1x1_g1";

Layer with_result(const std::string& name, const std::string& op, std::vector<std::size_t> inputs,
                  const std::string& problem) {
  return {.name = name,
          .op = op,
          .inputs = std::move(inputs),
          .problems = {problem},
          .outputs = {{.name = name, .type = "float", .shape = Dims{1, 8, 4, 4}}}};
}

/// conv -> bn -> relu -> conv.
Graph block() {
  return {.model = "m",
          .batch = 1,
          .layers = {with_result("c", "Conv", {}, conv_key),
                     with_result("bn", "BatchNormalization", {0}, "batchnorm/x"),
                     with_result("r", "Relu", {1}, "relu/1x8x4x4"),
                     with_result("d", "Conv", {2}, conv_key)}};
}

/// block() with a bias in both convolutions.
Graph graph_with_bias() {
  Graph graph = block();
  for (const std::size_t layer : {0, 3}) {
    graph.layers[layer].problems.push_back("add/1x8x4x4_1x8x1x1_w");
  }
  return graph;
}

TraceWriter& triton(TraceWriter& trace, const std::string& name, double microseconds) {
  return trace.op(name, {{128}}, {}, {{name, microseconds}});
}

std::vector<std::vector<std::size_t>> layers_of(const Seen& seen) {
  std::vector<std::vector<std::size_t>> all;
  for (const SeenPiece& piece : seen.pieces) all.push_back(piece.layers);
  return all;
}

TEST(Seen, OperatorsOfEqualShapesAreTheirLayers) {
  TraceWriter trace;
  trace.conv(1, 8, 8, 4, {{"sgemm", 7}, {"Memset", 1}});
  trace.relu({1, 8, 4, 4}, 3);
  Graph graph = block();
  graph.layers[1] = graph.layers[2];
  graph.layers[1].inputs = {0};
  graph.layers.resize(2);
  const Seen seen = seen_in(graph, profile_of(trace));
  ASSERT_THAT(layers_of(seen), ElementsAre(ElementsAre(0), ElementsAre(1)));
  EXPECT_NEAR(seen.pieces[0].seconds, 8 * us, 1e-12);
  EXPECT_THAT(seen.pieces[0].kernels, ElementsAre("sgemm", "Memset"));
  EXPECT_EQ(seen.aligned_operators, 2);
  EXPECT_NEAR(seen.aligned_seconds, 11 * us, 1e-12);
  EXPECT_EQ(seen.layers_left, 0);
}

TEST(Seen, OtherShapesAreNotCertain) {
  TraceWriter trace;
  trace.conv(1, 8, 8, 4).relu({1, 8, 9, 9});
  Graph graph = block();
  graph.layers[1] = graph.layers[2];
  graph.layers[1].inputs = {0};
  graph.layers.resize(2);
  const Seen seen = seen_in(graph, profile_of(trace));
  EXPECT_THAT(layers_of(seen), ElementsAre(ElementsAre(0)));
  EXPECT_EQ(seen.operators, 2);
  EXPECT_EQ(seen.aligned_operators, 1);
  EXPECT_EQ(seen.layers_left, 1);
}

TEST(Seen, ACompiledKernelDoesWhatCanOnlyHaveRunThere) {
  TraceWriter trace;
  trace.conv(1, 8, 8, 4);
  triton(trace, "triton_poi_fused__native_batch_norm_legit_no_training_relu_0", 6);
  trace.conv(1, 8, 8, 4);
  const Seen seen = seen_in(block(), profile_of(trace));
  ASSERT_THAT(layers_of(seen), ElementsAre(ElementsAre(0), ElementsAre(3), ElementsAre(1, 2)));
  EXPECT_NEAR(seen.pieces[2].seconds, 6 * us, 1e-12);
  EXPECT_EQ(seen.aligned_operators, 3);
}

TEST(Seen, SeveralKernelsBetweenTheSameTwoAreOnePiece) {
  TraceWriter trace;
  trace.conv(1, 8, 8, 4);
  triton(trace, "triton_per_fused__native_batch_norm_legit_no_training_0", 6);
  triton(trace, "triton_poi_fused_relu_1", 2);
  trace.conv(1, 8, 8, 4);
  const Seen seen = seen_in(block(), profile_of(trace));
  ASSERT_EQ(seen.pieces.size(), 3);
  EXPECT_NEAR(seen.pieces[2].seconds, 8 * us, 1e-12);
}

// The convolution may have done it, or weights may have been folded.
TEST(Seen, WhatNoKernelBetweenNamesIsLeftOut) {
  TraceWriter trace;
  trace.conv(1, 8, 8, 4);
  triton(trace, "triton_poi_fused_relu_0", 6);
  trace.conv(1, 8, 8, 4);
  const Seen seen = seen_in(block(), profile_of(trace));
  ASSERT_THAT(layers_of(seen), ElementsAre(ElementsAre(0), ElementsAre(3), ElementsAre(2)));
  EXPECT_EQ(seen.layers_left, 1);
}

// A convolution and its bias: the operator may add it, a compiled kernel may, or neither.
TEST(Seen, AProductWithABiasIsNotDoneWithoutIt) {
  const auto traced = [](bool bias, const std::string& kernel) {
    TraceWriter trace;
    const std::vector<std::vector<int>> dims{{1, 8, 4, 4}, {8, 8, 1, 1}, {8}};
    const std::vector<std::string> values{"[1, 1]", "[0, 0]", "[1, 1]", "1"};
    for (const bool first : {true, false}) {
      if (bias) {
        trace.op("aten::conv2d", dims, values, {{"sgemm", 10}});
      } else {
        trace.conv(1, 8, 8, 4, {{"sgemm", 10}});
      }
      if (first) triton(trace, kernel, 6);
    }
    return seen_in(graph_with_bias(), profile_of(trace));
  };
  const std::string named = "triton_poi_fused__native_batch_norm_legit_no_training_relu_0";
  EXPECT_THAT(layers_of(traced(true, named)),
              ElementsAre(ElementsAre(0), ElementsAre(3), ElementsAre(1, 2)));
  EXPECT_THAT(layers_of(traced(false, named)), ElementsAre(ElementsAre(1, 2)));
  const Seen seen =
      traced(false, "triton_poi_fused__native_batch_norm_legit_no_training_convolution_relu_0");
  ASSERT_THAT(layers_of(seen), ElementsAre(ElementsAre(0, 1, 2)));
  EXPECT_NEAR(seen.pieces[0].seconds, 16 * us, 1e-12);
  EXPECT_THAT(seen.pieces[0].kernels.front(), "sgemm");
}

// A relu of the input whose result is first needed after the second convolution: it may have run
// anywhere.
TEST(Seen, WhatMayHaveRunElsewhereIsLeftOut) {
  Graph graph = block();
  graph.layers.push_back(with_result("side", "Relu", {}, "relu/1x8x4x4"));
  graph.layers.push_back(with_result("add", "Add", {3, 4}, "add/1x8x4x4_1x8x4x4"));
  TraceWriter trace;
  trace.conv(1, 8, 8, 4);
  triton(trace, "triton_poi_fused__native_batch_norm_legit_no_training_relu_0", 6);
  trace.conv(1, 8, 8, 4);
  triton(trace, "triton_poi_fused_add_relu_1", 4);
  const Seen seen = seen_in(graph, profile_of(trace));
  EXPECT_THAT(layers_of(seen), UnorderedElementsAre(ElementsAre(0), ElementsAre(3),
                                                    ElementsAre(1, 2), ElementsAre(5)));
  EXPECT_EQ(seen.layers_left, 1);
}

// Depending on PyTorch's release, kernels of a compiled region have no operator of their own.
TEST(Seen, KernelsOfACompiledRegionAreOperators) {
  TraceWriter trace;
  trace.conv(1, 8, 8, 4);
  trace.op("Torch-Compiled Region: 0/0", {{128}}, {},
           {{"triton_per_fused__native_batch_norm_legit_no_training_0", 6},
            {"triton_poi_fused_relu_1", 2}});
  trace.conv(1, 8, 8, 4);
  const Profile profile = profile_of(trace);
  ASSERT_EQ(profile.nodes.size(), 4);
  EXPECT_THAT(layers_of(seen_in(block(), profile)), Contains(ElementsAre(1, 2)));
}

TEST(Seen, NamesOfCompiledKernelsStandForStepsToo) {
  EXPECT_THAT(kineto::ops_of_compiled("triton_poi_fused_addmm_gelu_12"),
              UnorderedElementsAre("Gelu", "Div", "Erf", "Tanh", "Pow", "Add", "Mul", "bias"));
  EXPECT_THAT(kineto::ops_of_compiled("triton_red_fused__softmax_view_3"), Contains("ReduceSum"));
  EXPECT_THAT(kineto::ops_of_compiled("triton_per_fused__safe_softmax_prepare_softmax_online_1"),
              IsSupersetOf({"Softmax", "IsNaN", "Where", "Exp"}));
  EXPECT_THAT(kineto::ops_of_compiled("triton_poi_fused_addmm_clone_transpose_view_4"),
              UnorderedElementsAre("Add", "Transpose", "bias"));
  EXPECT_THAT(kineto::ops_of_compiled("triton_poi_fused_relu_0"), Not(Contains("Clip")));
  EXPECT_THAT(kineto::ops_of_compiled("relu_kernel"), IsEmpty());
}

/// 10 us for a convolution, 4 for the normalization, 3 for relu; bn and relu as one call 5 us.
struct SeenCase {
  Graph graph = block();
  Inputs inputs;
  MeasurementFilter filter{};

  explicit SeenCase(const TraceWriter& trace) {
    MeasurementSet& set = inputs.results.measurements;
    set.add(measured(conv_key + "/fp32/nchw/cudnn/x", five(10 * us)));
    set.add(measured("batchnorm/x/fp32/nchw/cudnn/x", five(4 * us)));
    set.add(measured("relu/1x8x4x4/fp32/nchw/cudnn/x", five(3 * us)));
    set.add(measured("bn_relu/x/fp32/nchw/cudnn/x", five(5 * us)));
    graph.fusions = {{.pattern = "bn_relu", .layers = {1, 2}, .problem = "bn_relu/x"}};
    inputs.seen = {profile_of(trace)};
  }
  std::optional<SeenBest> answer(Ladder& ladder) const {
    return make_seen({.inputs = inputs, .graph = graph, .filter = filter}, ladder);
  }
};

TEST(SeenBest, TakesTheSmallerOfMeasuredAndSeen) {
  TraceWriter trace;
  trace.conv(1, 8, 8, 4, {{"sgemm", 6}});
  triton(trace, "triton_poi_fused__native_batch_norm_legit_no_training_relu_0", 2);
  trace.conv(1, 8, 8, 4, {{"sgemm", 12}});
  const SeenCase given(trace);
  Ladder ladder;
  const auto best = given.answer(ladder);
  // 6 seen; 2 seen instead of the measured best, 5; 10 measured instead of 12 seen.
  ASSERT_TRUE(best);
  EXPECT_NEAR(best->seconds, 18 * us, 1e-12);
  EXPECT_THAT(ladder.seen_seconds, Optional(best->seconds));
  ASSERT_EQ(best->wins.size(), 2);
  EXPECT_THAT(best->wins[0].layers, ElementsAre(0));
  EXPECT_THAT(best->wins[1].layers, ElementsAre(1, 2));
  EXPECT_THAT(best->wins[1].measured_seconds, Optional(DoubleEq(5 * us)));
  EXPECT_TRUE(best->wins[1].used);
  EXPECT_EQ(best->holes, 0);
}

TEST(SeenBest, IsTheWholeRunIfItsGroupsOfLayersTakeLonger) {
  TraceWriter trace;
  trace.conv(1, 8, 8, 4, {{"sgemm", 6}});
  trace.op("my::block", {{1, 8, 4, 4}}, {}, {{"kernel", 1}});  // does not tell what it does
  trace.conv(1, 8, 8, 4, {{"sgemm", 12}});
  const SeenCase given(trace);
  Ladder ladder;
  const auto best = given.answer(ladder);
  // 6 seen, 5 and 10 measured; the run took 6 + 1 + 12.
  ASSERT_TRUE(best);
  EXPECT_NEAR(best->combined_seconds, 21 * us, 1e-12);
  EXPECT_NEAR(best->seconds, 19 * us, 1e-12);
  EXPECT_EQ(best->whole_run, best->profiles[0].path);
  EXPECT_THAT(ladder.seen_seconds, Optional(best->seconds));
}

// The kernel names what it fuses: neither the normalization nor relu.
TEST(SeenBest, IsNoWholeRunWithoutSomeOfItsLayers) {
  TraceWriter trace;
  trace.conv(1, 8, 8, 4, {{"sgemm", 6}});
  triton(trace, "triton_poi_fused_view_0", 1);
  trace.conv(1, 8, 8, 4, {{"sgemm", 12}});
  const SeenCase given(trace);
  Ladder ladder;
  const auto best = given.answer(ladder);
  ASSERT_TRUE(best);
  EXPECT_NEAR(best->seconds, 21 * us, 1e-12);
  EXPECT_EQ(best->whole_run, "");
  EXPECT_THAT(best->profiles[0].seen.lacks, Optional(1));
}

TEST(SeenBest, FillsWhatNoCallDoes) {
  TraceWriter trace;
  trace.conv(1, 8, 8, 4, {{"sgemm", 17}});
  triton(trace, "triton_poi_fused__native_batch_norm_legit_no_training_relu_0", 20);
  trace.conv(1, 8, 8, 4, {{"sgemm", 12}});
  SeenCase given(trace);
  given.graph.fusions.clear();
  given.graph.layers[1].cost = Cost::unsupported;
  given.graph.layers[1].problems.clear();
  Ladder ladder;
  const auto best = given.answer(ladder);
  EXPECT_NEAR(best->seconds, 40 * us, 1e-12);
  EXPECT_EQ(best->holes, 0);
  ASSERT_EQ(best->wins.size(), 1);
  EXPECT_EQ(best->wins[0].measured_seconds, std::nullopt);
}

Layer of_heads(const std::string& name, const std::string& op, std::vector<std::size_t> inputs,
               const std::string& problem, const Dims& result) {
  Layer layer = with_result(name, op, std::move(inputs), problem);
  layer.outputs.front().shape = result;
  return layer;
}

/// A step -> q k^T -> softmax -> p v, of one head of 64 positions and 32 values.
Graph attention_after(const std::string& op, const std::string& step) {
  return {
      .model = "m",
      .batch = 1,
      .layers = {of_heads("step", op, {}, step, {1, 8, 64, 32}),
                 of_heads("qk", "MatMul", {0}, "gemm/m64_n64_k32_nn_a1x8_b1x8", {1, 8, 64, 64}),
                 of_heads("sm", "Softmax", {1}, "softmax/1x8x64x64_a3", {1, 8, 64, 64}),
                 of_heads("pv", "MatMul", {2}, "gemm/m64_n32_k64_nn_a1x8_b1x8", {1, 8, 64, 32})}};
}

TraceWriter& attention(TraceWriter& trace, double microseconds) {
  return trace.op("aten::scaled_dot_product_attention",
                  {{1, 8, 64, 32}, {1, 8, 64, 32}, {1, 8, 64, 32}, {}}, {"0.0", "False", "", ""},
                  {{"flash", microseconds}});
}

TEST(Seen, AttentionScalesItsQueries) {
  TraceWriter trace;
  attention(trace, 25);
  const Seen seen = seen_in(attention_after("Mul", "mul/1x8x64x32_1x1x1x1_w"), profile_of(trace));
  ASSERT_THAT(layers_of(seen), ElementsAre(ElementsAre(0, 1, 2, 3)));
}

// A rotation of the queries: another operator did it.
TEST(Seen, AttentionDoesNoOtherProductOfItsQueries) {
  TraceWriter trace;
  trace.op("my::rotary_embedding", {{1, 8, 64, 32}, {64, 32}}, {}, {{"rotary", 95}});
  attention(trace, 25);
  const Graph rotated = attention_after("Mul", "mul/1x8x64x32_1x1x64x32");
  const Seen seen = seen_in(rotated, profile_of(trace));
  ASSERT_THAT(layers_of(seen), ElementsAre(ElementsAre(1, 2, 3)));
  EXPECT_THAT(seen.whole_seconds, Optional(testing::DoubleNear(120 * us, 1e-12)));
  // Without it, nothing did.
  TraceWriter alone;
  attention(alone, 25);
  const Seen lacking = seen_in(rotated, profile_of(alone));
  ASSERT_THAT(layers_of(lacking), ElementsAre(ElementsAre(1, 2, 3)));
  EXPECT_THAT(lacking.lacks, Optional(0));
}

TEST(Seen, AStepThatAnUnknownOperatorMayHaveDoneIsLeftOut) {
  TraceWriter trace;
  trace.op("my::scale", {{1, 8, 64, 32}}, {}, {{"scale", 5}});
  attention(trace, 25);
  const Seen seen = seen_in(attention_after("Mul", "mul/1x8x64x32_1x1x1x1_w"), profile_of(trace));
  EXPECT_THAT(layers_of(seen), ElementsAre(ElementsAre(1, 2, 3)));
}

// A Gelu in one layer has no steps beside it: the function after it is another layer.
TEST(Seen, AFormulasStepIsNoLayerBesideItsWhole) {
  Graph graph{.model = "m",
              .batch = 1,
              .layers = {of_heads("g", "Gelu", {}, "gelu/1x8x64x32", {1, 8, 64, 32}),
                         of_heads("t", "Tanh", {0}, "tanh/1x8x64x32", {1, 8, 64, 32})}};
  TraceWriter trace;
  trace.op("aten::gelu", {{1, 8, 64, 32}}, {"none"}, {{"gelu", 4}});
  graph.layers.push_back(of_heads("r", "Relu", {1}, "relu/1x8x64x32", {1, 8, 64, 32}));
  graph.layers.push_back(of_heads("s", "Sigmoid", {2}, "sigmoid/1x8x64x32", {1, 8, 64, 32}));
  graph.layers.push_back(of_heads("a", "Abs", {3}, "abs/1x8x64x32", {1, 8, 64, 32}));
  trace.relu({1, 8, 64, 32}, 3);
  trace.op("aten::sigmoid", {{1, 8, 64, 32}}, {}, {{"sigmoid", 3}});
  trace.op("aten::abs", {{1, 8, 64, 32}}, {}, {{"abs", 3}});
  const Seen seen = seen_in(graph, profile_of(trace));
  EXPECT_THAT(layers_of(seen),
              ElementsAre(ElementsAre(0), ElementsAre(2), ElementsAre(3), ElementsAre(4)));
  EXPECT_THAT(seen.lacks, Optional(1));
}

TEST(SeenBest, OfAnotherPrecisionIsNone) {
  TraceWriter trace;
  trace.conv(1, 8, 8, 4).conv(1, 8, 8, 4);
  SeenCase given(trace);
  given.filter.precision = Precision::fp16;
  Ladder ladder;
  EXPECT_EQ(given.answer(ladder), std::nullopt);
  EXPECT_EQ(ladder.seen_seconds, std::nullopt);
}

}  // namespace
}  // namespace benanza::analysis
