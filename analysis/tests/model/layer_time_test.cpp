#include "analysis/model/layer_time.h"

#include <gmock/gmock.h>

#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using test::layer;
using test::measured;
using test::ms;
using test::refused;
using testing::HasSubstr;
using testing::SizeIs;

const std::string conv = "conv/1x64x56x56_k64x3x3_p1.1.1.1_s1x1_d1x1_g1";
const std::string unpadded_conv = "conv/1x64x56x56_k64x3x3_p0.0.0.0_s1x1_d1x1_g1";
const std::string bias = "add/1x64x56x56_1x64x1x1_w";
const std::string fused = conv + "_bias";
const std::string fast = "/fp32/any/onednn/jit:avx2";

/// One layer with these problems.
Graph graph_of(std::vector<std::string> problems) {
  Layer only = layer("only", {});
  only.problems = std::move(problems);
  return {.model = "m", .batch = 1, .layers = {only}, .fusions = {}};
}

Graph convolution_with_bias() {
  Graph graph = graph_of({conv, bias});
  graph.fusions.push_back({.pattern = "conv_bias", .layers = {0}, .problem = fused});
  return graph;
}

LayerTime time_of(const Graph& graph, const MeasurementSet& set,
                  const MeasurementFilter& filter = {}) {
  return layer_times(graph, set, filter).at(0);
}

TEST(LayerTime, NoCallOverwritesAResidualThatIsKept) {
  const std::string residual = conv + "_residual";
  MeasurementSet set;
  set.add(measured(conv + fast, {1 * ms}));
  set.add(measured("add/x" + fast, {3 * ms}));
  set.add(measured(residual + "/fp32/any/onednn/sum.jit:avx2", {1.5 * ms}));
  Graph graph = graph_of({conv, "add/x"});
  graph.fusions.push_back({.pattern = "conv_add", .layers = {0}, .problem = residual});
  EXPECT_DOUBLE_EQ(time_of(graph, set).seconds.value(), 1.5 * ms);
  graph.fusions[0].keeps_residual = true;
  EXPECT_DOUBLE_EQ(time_of(graph, set).seconds.value(), 4 * ms);
  // Whatever its name.
  Measurement other = measured(residual + "/fp32/nchw/cudnn/add_tensor", {1 * ms});
  other.in_place = true;
  set.add(std::move(other));
  EXPECT_DOUBLE_EQ(time_of(graph, set).seconds.value(), 4 * ms);
  set.add(measured(residual + "/fp32/any/onednn/jit:avx2", {2.5 * ms}));
  EXPECT_DOUBLE_EQ(time_of(graph, set).seconds.value(), 2.5 * ms);
}

// The update in mixed precision works on fp32 weights, between a widening and a narrowing cast.
TEST(LayerTime, OfAnUpdateIsThatOfFp32) {
  MeasurementSet set;
  set.add(measured("linear/1x8_a2_b0/fp32/plain/cudnn/a", {4 * ms}));
  set.add(measured("linear/1x8_a2_b0/fp16/plain/cudnn/a", {2 * ms}));
  set.add(measured("narrow/1x8/fp16/plain/cudnn/a", {1 * ms}));
  Graph update = graph_of({"linear/1x8_a2_b0"});
  update.layers[0].precision = "fp32";
  Graph cast = graph_of({"narrow/1x8"});
  cast.layers[0].precision = "cast";
  const MeasurementFilter half{.precision = Precision::fp16};
  EXPECT_DOUBLE_EQ(time_of(update, set, half).seconds.value(), 4 * ms);
  EXPECT_DOUBLE_EQ(time_of(cast, set, half).seconds.value(), 1 * ms);
  EXPECT_EQ(coverage(update, layer_times(update, set, half), Precision::fp16).at_fallback, 0U);
  // At fp32 there is nothing to cast.
  EXPECT_DOUBLE_EQ(time_of(update, set).seconds.value(), 4 * ms);
  EXPECT_EQ(time_of(cast, set).status, LayerStatus::free);
  // tf32 data are stored as fp32.
  const MeasurementFilter single{.precision = Precision::tf32};
  EXPECT_EQ(time_of(cast, set, single).status, LayerStatus::free);
  EXPECT_EQ(time_of(update, set, single).status, LayerStatus::missing);
}

// What is stored as 8-bit floats is multiplied as such; the other calls have the run's precision.
TEST(LayerTime, OfSeveralCallsAtFp8HasItsOtherCallsInFloats) {
  MeasurementSet set;
  set.add(measured("grouped_gemm/g4_m1_n256_k256_nt/fp8/plain/cublas/a", {4 * ms}));
  set.add(measured("grouped_gemm/g4_m1_n256_k256_nt/bf16/plain/cublas/a", {8 * ms}));
  set.add(measured("relu/4x256/bf16/plain/cudnn/a", {1 * ms}));
  Graph graph = graph_of({"grouped_gemm/g4_m1_n256_k256_nt"});
  graph.layers[0].problems.emplace_back("relu/4x256");
  graph.layers[0].precision = "fp8";
  const MeasurementFilter half{.precision = Precision::bf16};
  EXPECT_DOUBLE_EQ(time_of(graph, set, half).seconds.value(), 5 * ms);
  EXPECT_EQ(coverage(graph, layer_times(graph, set, half), Precision::bf16).at_fallback, 0U);
}

TEST(LayerTime, IsTheFastestOverLayoutsAndAlgorithms) {
  MeasurementSet set;
  set.add(measured(conv + "/fp32/nchw/onednn/gemm:jit", {3 * ms}));
  set.add(measured(conv + "/fp32/any/onednn/jit:avx2", {1 * ms}));
  set.add(measured(conv + "/fp32/nhwc/onednn/jit:avx2", {2 * ms}));
  const LayerTime time = time_of(graph_of({conv}), set);
  EXPECT_EQ(time.status, LayerStatus::measured);
  EXPECT_DOUBLE_EQ(time.seconds.value(), 1 * ms);
  EXPECT_EQ(to_string(time.calls.at(0)->variant), conv + "/fp32/any/onednn/jit:avx2");
}

TEST(LayerTime, ComparesMediansAndNotLuckySamples) {
  MeasurementSet set;
  set.add(measured(conv + "/fp32/nchw/onednn/lucky", {0.1 * ms, 5 * ms, 5 * ms}));
  set.add(measured(conv + "/fp32/nchw/onednn/steady", {2 * ms, 2 * ms, 2 * ms}));
  EXPECT_DOUBLE_EQ(time_of(graph_of({conv}), set).seconds.value(), 2 * ms);
}

TEST(LayerTime, LayoutIsAskedForButPlainHasNone) {
  MeasurementSet set;
  set.add(measured(conv + "/fp32/nchw/onednn/jit", {3 * ms}));
  set.add(measured(conv + "/fp32/any/onednn/jit", {1 * ms}));
  set.add(measured("gemm/m1_n1000_k2048_nt_w/fp32/plain/onednn/jit", {2 * ms}));
  const MeasurementFilter nchw{.layout = Layout::nchw};
  EXPECT_DOUBLE_EQ(time_of(graph_of({conv}), set, nchw).seconds.value(), 3 * ms);
  EXPECT_DOUBLE_EQ(time_of(graph_of({"gemm/m1_n1000_k2048_nt_w"}), set, nchw).seconds.value(),
                   2 * ms);
}

TEST(LayerTime, BackendIsAskedFor) {
  MeasurementSet set;
  set.add(measured(conv + "/fp32/nchw/onednn/jit", {3 * ms}));
  set.add(measured(conv + "/fp32/nchw/cudnn/winograd", {1 * ms}));
  EXPECT_DOUBLE_EQ(time_of(graph_of({conv}), set, {.backends = {"onednn"}}).seconds.value(),
                   3 * ms);
}

TEST(LayerTime, ColdAndHotAreNeverMixed) {
  MeasurementSet set;
  set.add(measured(conv + fast, {1 * ms}));
  EXPECT_EQ(time_of(graph_of({conv}), set, {.cold = true}).status, LayerStatus::missing);
  set.add(measured(conv + fast + "/cold", {4 * ms}));
  EXPECT_DOUBLE_EQ(time_of(graph_of({conv}), set, {.cold = true}).seconds.value(), 4 * ms);
  EXPECT_DOUBLE_EQ(time_of(graph_of({conv}), set).seconds.value(), 1 * ms);
}

TEST(LayerTime, AnotherPrecisionIsNoAnswer) {
  MeasurementSet set;
  set.add(measured(conv + "/bf16/any/onednn/jit", {1 * ms}));
  EXPECT_EQ(time_of(graph_of({conv}), set).status, LayerStatus::missing);
}

TEST(LayerTime, ALayerOfItsOwnPrecisionCountsAtItWhateverIsAskedFor) {
  MeasurementSet set;
  set.add(measured(conv + "/bf16/any/onednn/jit", {1 * ms}));
  set.add(measured(conv + "/fp32/any/onednn/jit", {4 * ms}));
  set.add(measured(conv + "/tf32/any/onednn/jit", {2 * ms}));
  const auto seconds_at = [&](const std::string& own, Precision asked) {
    Graph graph = graph_of({conv});
    graph.layers[0].precision = own;
    return time_of(graph, set, {.precision = asked}).seconds.value();
  };
  EXPECT_DOUBLE_EQ(seconds_at("bf16", Precision::fp32), 1 * ms);
  EXPECT_DOUBLE_EQ(seconds_at("fp32", Precision::bf16), 4 * ms);
  EXPECT_DOUBLE_EQ(seconds_at("fp32", Precision::tf32), 2 * ms);  // stores the same
  EXPECT_DOUBLE_EQ(seconds_at("", Precision::bf16), 1 * ms);
}

TEST(LayerTime, PaddingZeroDoesNotAnswerForPaddingOne) {
  MeasurementSet set;
  set.add(measured(unpadded_conv + fast, {1 * ms}));
  const LayerTime time = time_of(graph_of({conv}), set);
  EXPECT_EQ(time.status, LayerStatus::missing);
  EXPECT_EQ(time.seconds, std::nullopt);
  EXPECT_EQ(time.gaps.at(0).key, conv);
}

TEST(LayerTime, OneFunctionDoesNotAnswerForAnother) {
  MeasurementSet set;
  set.add(measured("clip/1x64x56x56_a0_b6" + fast, {1 * ms}));
  set.add(measured("logsoftmax/1x1000_a1" + fast, {1 * ms}));
  set.add(measured("avgpool/1x8x7x7_k3x3_p1.1.1.1_s1x1_d1x1_include" + fast, {1 * ms}));
  for (const char* key : {"relu/1x64x56x56", "softmax/1x1000_a1",
                          "avgpool/1x8x7x7_k3x3_p1.1.1.1_s1x1_d1x1_exclude"}) {
    EXPECT_EQ(time_of(graph_of({key}), set).status, LayerStatus::missing) << key;
  }
}

TEST(LayerTime, OfAConvolutionWithBiasIsTheFasterOfBothWays) {
  MeasurementSet set;
  set.add(measured(conv + fast, {4 * ms}));
  set.add(measured(bias + fast, {1 * ms}));
  set.add(measured(fused + fast, {4.5 * ms}));
  const LayerTime together = time_of(convolution_with_bias(), set);
  EXPECT_DOUBLE_EQ(together.seconds.value(), 4.5 * ms);
  EXPECT_EQ(together.fusion, "conv_bias");
  EXPECT_THAT(together.calls, SizeIs(1));

  MeasurementSet slower;
  slower.add(measured(conv + fast, {4 * ms}));
  slower.add(measured(bias + fast, {1 * ms}));
  slower.add(measured(fused + fast, {6 * ms}));
  const LayerTime add_edge = time_of(convolution_with_bias(), slower);
  EXPECT_DOUBLE_EQ(add_edge.seconds.value(), 5 * ms);
  EXPECT_EQ(add_edge.fusion, "");
  EXPECT_THAT(add_edge.calls, SizeIs(2));
}

TEST(LayerTime, CopiesBetweenItsCallsAreMovement) {
  Graph graph = graph_of({conv, "copy/8_f1_t1", bias});
  graph.layers[0].inner_moves = {1};
  MeasurementSet set;
  set.add(measured(conv + fast, {4 * ms}));
  set.add(measured(bias + fast, {1 * ms}));
  const auto seconds = [&](bool inner_moves) {
    return time_of(graph, set, {.inner_moves = inner_moves}).seconds;
  };
  EXPECT_EQ(seconds(true), std::nullopt) << "not measured";
  EXPECT_DOUBLE_EQ(seconds(false).value(), 5 * ms);
  set.add(measured("copy/8_f1_t1" + fast, {2 * ms}));
  EXPECT_DOUBLE_EQ(seconds(true).value(), 7 * ms);
  EXPECT_DOUBLE_EQ(seconds(false).value(), 5 * ms);
}

TEST(LayerTime, OneWayMeasuredIsEnough) {
  MeasurementSet only_fused;
  only_fused.add(measured(fused + fast, {4.5 * ms}));
  EXPECT_DOUBLE_EQ(time_of(convolution_with_bias(), only_fused).seconds.value(), 4.5 * ms);

  MeasurementSet only_apart;
  only_apart.add(measured(conv + fast, {4 * ms}));
  only_apart.add(measured(bias + fast, {1 * ms}));
  EXPECT_DOUBLE_EQ(time_of(convolution_with_bias(), only_apart).seconds.value(), 5 * ms);
}

TEST(LayerTime, AConvolutionWithoutItsBiasIsMissingAndSaysWhatOf) {
  MeasurementSet set;
  set.add(measured(conv + fast, {4 * ms}));
  const LayerTime time = time_of(convolution_with_bias(), set);
  EXPECT_EQ(time.status, LayerStatus::missing);
  EXPECT_EQ(time.seconds, std::nullopt);  // neither 4 ms nor 0
  ASSERT_THAT(time.gaps, SizeIs(2));
  EXPECT_EQ(time.gaps[0].key, bias);
  EXPECT_EQ(time.gaps[1].key, fused);
}

TEST(LayerTime, AFusionOfSeveralLayersIsNoWayOfOne) {
  Graph graph = graph_of({conv});
  graph.layers.push_back(layer("relu", {0}));
  graph.fusions.push_back({.pattern = "conv_relu", .layers = {0, 1}, .problem = fused});
  MeasurementSet set;
  set.add(measured(fused + fast, {1 * ms}));
  EXPECT_EQ(time_of(graph, set).status, LayerStatus::missing);
}

TEST(LayerTime, OnlyOkRowsCount) {
  MeasurementSet set;
  set.add(refused(conv + "/fp32/nchw/onednn/wrong", Status::incorrect, "element 3: 1, not 2"));
  set.add(refused(conv + "/fp32/nhwc/onednn/broken", Status::failed, "out of memory"));
  const LayerTime none = time_of(graph_of({conv}), set);
  EXPECT_EQ(none.status, LayerStatus::missing);
  EXPECT_THAT(none.gaps.at(0).reason, HasSubstr("out of memory"));
  set.add(measured(conv + "/fp32/any/onednn/right", {2 * ms}));
  EXPECT_DOUBLE_EQ(time_of(graph_of({conv}), set).seconds.value(), 2 * ms);
}

TEST(LayerTime, UnsupportedAtAPrecisionSaysSo) {
  MeasurementSet set;
  set.add(refused(conv + "/int8/nchw/onednn/none", Status::unsupported, "no primitive"));
  set.add(measured(conv + fast, {2 * ms}));
  const MeasurementFilter int8{.precision = Precision::int8};
  const LayerTime time = time_of(graph_of({conv}), set, int8);
  EXPECT_EQ(time.status, LayerStatus::unsupported);
  EXPECT_EQ(time.seconds, std::nullopt);
  EXPECT_EQ(time.note, "unsupported at int8: no primitive");
  EXPECT_TRUE(time.gaps.empty());
}

TEST(LayerTime, UnsupportedIsCountedAtTheFallback) {
  MeasurementSet set;
  set.add(refused(conv + "/int8/nchw/onednn/none", Status::unsupported, "no primitive"));
  set.add(measured(conv + fast, {2 * ms}));
  const MeasurementFilter filter{.precision = Precision::int8, .fallback = Precision::fp32};
  const LayerTime time = time_of(graph_of({conv}), set, filter);
  EXPECT_EQ(time.status, LayerStatus::measured);
  EXPECT_DOUBLE_EQ(time.seconds.value(), 2 * ms);
  EXPECT_EQ(time.note, "unsupported at int8: no primitive; counted at fp32");
}

TEST(LayerTime, OfALayerOfSeveralCallsOnlyTheUnsupportedOnesFallBack) {
  MeasurementSet set;
  set.add(measured(conv + "/int8/any/onednn/jit", {1 * ms}));
  set.add(measured(conv + fast, {3 * ms}));
  set.add(refused(bias + "/int8/nchw/onednn/none", Status::unsupported, "no primitive"));
  set.add(measured(bias + "/fp32/nchw/onednn/jit", {0.5 * ms}));
  const MeasurementFilter filter{.precision = Precision::int8, .fallback = Precision::fp32};
  const Graph graph = graph_of({conv, bias});
  const LayerTime time = time_of(graph, set, filter);
  EXPECT_EQ(time.status, LayerStatus::measured);
  EXPECT_DOUBLE_EQ(time.seconds.value(), 1.5 * ms);
  EXPECT_EQ(time.note, "unsupported at int8: no primitive; counted at fp32");
  EXPECT_EQ(coverage(graph, layer_times(graph, set, filter), Precision::int8).at_fallback, 1U);
  // All of it at the fallback, if that is faster.
  set.add(measured(conv + "/fp32/any/onednn/other", {0.25 * ms}));
  EXPECT_DOUBLE_EQ(time_of(graph, set, filter).seconds.value(), 0.75 * ms);
}

TEST(LayerTime, TheFallbackDoesNotHideAMissingMeasurement) {
  MeasurementSet set;
  set.add(measured(conv + fast, {2 * ms}));
  const MeasurementFilter filter{.precision = Precision::int8, .fallback = Precision::fp32};
  EXPECT_EQ(time_of(graph_of({conv}), set, filter).status, LayerStatus::missing);
}

TEST(LayerTime, AWayTheLibraryRefusesLeavesTheOther) {
  // The bias alone is unsupported at int8; fused it works.
  MeasurementSet set;
  set.add(measured(conv + "/int8/any/onednn/jit", {1 * ms}));
  set.add(refused(bias + "/int8/nchw/onednn/none", Status::unsupported, "no primitive"));
  const MeasurementFilter int8{.precision = Precision::int8};
  const LayerTime unmeasured = time_of(convolution_with_bias(), set, int8);
  EXPECT_EQ(unmeasured.status, LayerStatus::missing);
  ASSERT_THAT(unmeasured.gaps, SizeIs(1));
  EXPECT_EQ(unmeasured.gaps[0].key, fused);
  set.add(measured(fused + "/int8/any/onednn/jit", {1.25 * ms}));
  EXPECT_DOUBLE_EQ(time_of(convolution_with_bias(), set, int8).seconds.value(), 1.25 * ms);
}

// A dropout layer names the problem that training would run; inference looks nothing up.
TEST(LayerTime, AFreeLayersProblemsCostNothing) {
  Graph graph = graph_of({"dropout/1x8_r0.5"});
  graph.layers[0].cost = Cost::free;
  MeasurementSet set;
  EXPECT_EQ(time_of(graph, set).status, LayerStatus::free);
  set.add(measured("dropout/1x8_r0.5/fp32/plain/cudnn/dropout", {5 * ms}));
  EXPECT_EQ(time_of(graph, set).status, LayerStatus::free);
  EXPECT_EQ(time_of(graph, set).seconds.value(), 0);
}

TEST(LayerTime, MovementWithoutABenchmarkIsUnknownAndNotZero) {
  Graph graph = graph_of({});
  graph.layers[0].cost = Cost::movement;
  graph.layers[0].reason = "Cast";
  const LayerTime time = time_of(graph, {});
  EXPECT_EQ(time.status, LayerStatus::movement);
  EXPECT_EQ(time.seconds, std::nullopt);
}

// A bound without movement lacks nothing then, and one with movement does.
TEST(LayerTime, OfMovementThatTheLibraryRefusesIsUnknownAndNotZero) {
  const std::string copy = "copy/512x256_f1.0_t256.1";
  Graph graph = graph_of({copy});
  graph.layers[0].cost = Cost::movement;
  MeasurementSet set;
  EXPECT_EQ(time_of(graph, set).status, LayerStatus::missing);
  set.add(refused(copy + "/fp32/plain/cudnn/none", Status::unsupported, "no call"));
  const std::vector times{time_of(graph, set)};
  EXPECT_EQ(times[0].status, LayerStatus::movement);
  EXPECT_EQ(times[0].seconds, std::nullopt);
  EXPECT_THAT(times[0].note, HasSubstr("no call"));
  EXPECT_FALSE(is_partial(times, Movement::exclude));
  EXPECT_TRUE(is_partial(times, Movement::include));
}

/// One layer of every kind. "absent" was never measured.
Graph every_kind() {
  Graph graph{.model = "m",
              .layers = {layer("a", {}), layer("b", {0}), layer("concat", {1}, Cost::movement),
                         layer("dropout", {2}, Cost::free, "no-op"),
                         layer("einsum", {3}, Cost::unsupported, "no lowering for Einsum"),
                         layer("absent", {4})}};
  graph.layers[1].flops = 3e6;
  graph.layers[2].flops = 0;
  return graph;
}

TEST(Coverage, EveryLayerIsInExactlyOneClass) {
  const Graph graph = every_kind();
  const MeasurementSet set = test::steady({{"a", ms}, {"b", ms}, {"concat", ms}});
  const Coverage result = coverage(graph, layer_times(graph, set, {}), Precision::fp32);
  std::size_t total = 0;
  for (const LayerStatus status : layer_statuses) total += result.of(status).layers;
  EXPECT_EQ(total, graph.layers.size());
  EXPECT_EQ(result.of(LayerStatus::measured).layers, 2);
  EXPECT_DOUBLE_EQ(result.of(LayerStatus::measured).flops.value(), 4e6);
  EXPECT_EQ(result.of(LayerStatus::movement).layers, 1);
  EXPECT_EQ(result.of(LayerStatus::movement).flops, 0);
  EXPECT_EQ(result.of(LayerStatus::free).layers, 1);
  EXPECT_EQ(result.of(LayerStatus::free).flops, 0);
  EXPECT_EQ(result.of(LayerStatus::unsupported).layers, 1);
  EXPECT_EQ(result.of(LayerStatus::unsupported).flops, std::nullopt);
  EXPECT_EQ(result.of(LayerStatus::missing).layers, 1);
  EXPECT_DOUBLE_EQ(result.of(LayerStatus::missing).flops.value(), 1e6);
}

}  // namespace
}  // namespace benanza::analysis
