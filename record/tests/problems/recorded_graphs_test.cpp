#include "record/problems/recorded_graphs.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "core/base/error.h"
#include "record/problems/steps.h"

namespace benanza::record {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

std::vector<std::uint32_t> repeated(const std::vector<std::uint32_t>& part, std::size_t times) {
  std::vector<std::uint32_t> calls;
  for (; times > 0; --times) calls.insert(calls.end(), part.begin(), part.end());
  return calls;
}

std::vector<std::uint32_t> joined(std::vector<std::uint32_t> a,
                                  const std::vector<std::uint32_t>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(RepeatedStep, IsFoundBehindAWarmUp) {
  const auto calls = joined({9, 8, 7}, joined(repeated({1, 2, 1, 3}, 5), {6}));
  const auto step = repeated_step(calls);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->begins.front(), 3u);
  EXPECT_EQ(step->length, 4u);
  EXPECT_EQ(step->times(), 5u);
}

TEST(RepeatedStep, EqualLayersWithinItAreNoStep) {
  // 12 equal blocks of a network, an embedding before and a head after them, ten times.
  const auto network = joined({1}, joined(repeated({2, 3, 4, 2, 5, 6}, 12), {7}));
  const auto step = repeated_step(repeated(network, 10));
  ASSERT_TRUE(step);
  EXPECT_EQ(step->length, 74u);
  EXPECT_EQ(step->times(), 10u);
}

TEST(RepeatedStep, NoneWhereCallsComeOneAfterTheOther) {
  EXPECT_FALSE(repeated_step(joined(repeated({1}, 5), joined(repeated({2}, 5), repeated({3}, 5)))));
  EXPECT_FALSE(repeated_step({1, 2, 3}));
  EXPECT_FALSE(repeated_step({}));
  EXPECT_EQ(repeated_step(repeated({4}, 100))->length, 1u);
}

TEST(ScatteredStep, IsFoundAmongOtherCalls) {
  // Two texts: a first pass each, then steps of two equal layers and an output layer.
  const std::vector<std::uint32_t> step{1, 2, 3, 1, 2, 3, 4};
  const auto text = joined({7, 8, 9}, repeated(step, 5));
  const auto calls = joined(text, joined({6}, text));
  EXPECT_FALSE(repeated_step(calls));
  const auto found = scattered_step(calls);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->length, 7u);
  EXPECT_EQ(found->times(), 10u);
  EXPECT_EQ(found->begins.front(), 3u);
  EXPECT_THAT(without(calls, *found), ElementsAre(7, 8, 9, 6, 7, 8, 9));
}

TEST(ScatteredStep, NoneWhereLittleIsRepeated) {
  EXPECT_FALSE(scattered_step({1, 2, 3, 4, 5, 1, 1, 6, 7, 8}));
  EXPECT_FALSE(scattered_step({}));
}

std::vector<CallTotal> three_calls() {
  const auto eltwise = [](const std::string& algorithm, const std::string& problem) {
    return CallTotal{.text = {.source = "onednn",
                              .engine = "cpu",
                              .kind = "eltwise",
                              .prop_kind = "forward_inference",
                              .memory = "data_f32::blocked:ab:f0",
                              .auxiliary = "alg:" + algorithm + " alpha:0 beta:0",
                              .problem = problem},
                     .calls = 1};
  };
  return {eltwise("eltwise_relu", "2x3"), eltwise("eltwise_tanh", "4x5"),
          eltwise("eltwise_unheard_of", "2x3")};
}

TEST(RecordedGraphs, StepIsAGraphAndTheRestAnother) {
  const RecordedGraphs graphs = recorded_graphs("run", three_calls(), {2, 0, 0, 1, 0, 1, 0, 1});
  ASSERT_THAT(graphs.graphs, SizeIs(2));
  const Graph& step = graphs.graphs[0];
  EXPECT_EQ(step.model, "run");
  ASSERT_THAT(step.layers, SizeIs(2));
  EXPECT_THAT(step.layers[0].problems, ElementsAre("relu/2x3"));
  EXPECT_THAT(step.layers[1].problems, ElementsAre("tanh/4x5"));
  EXPECT_THAT(step.layers[1].inputs, ElementsAre(0));
  EXPECT_EQ(step.layers[1].flops, 20);
  const Graph& rest = graphs.graphs[1];
  EXPECT_EQ(rest.model, "run_rest");
  ASSERT_THAT(rest.layers, SizeIs(2));
  EXPECT_EQ(rest.layers[0].cost, Cost::unsupported);
  EXPECT_THAT(rest.layers[0].reason, HasSubstr("eltwise_unheard_of"));
  EXPECT_THAT(rest.layers[1].problems, ElementsAre("relu/2x3"));
  EXPECT_THAT(graphs.precisions, ElementsAre(Precision::fp32));
  EXPECT_THAT(graphs.summary, Contains("run: a step of 2 calls, repeated 3 times"));
  EXPECT_THAT(graphs.summary, Contains(AllOf(HasSubstr("unsupported, called 1 times"),
                                             HasSubstr("eltwise_unheard_of"))));
}

/// A convolution of a GPU by an algorithm.
CallTotal convolution_by(const std::string& problem, const std::string& algorithm) {
  return {.text = {.source = "cudnn",
                   .engine = "gpu",
                   .kind = "cudnnBackendExecute",
                   .implementation = algorithm,
                   .memory = "fp16 nhwc",
                   .problem = problem},
          .calls = 1};
}

TEST(RecordedGraphs, ASearchForAnAlgorithmIsNoPartOfAStep) {
  const std::string first = "conv/1x8x8x8_k8x3x3_p1.1.1.1_s1x1_d1x1_g1";
  const std::string second = "conv/1x8x8x8_k16x1x1_p0.0.0.0_s1x1_d1x1_g1";
  const std::vector<CallTotal> totals{
      convolution_by(first, "engine 1"), convolution_by(first, "engine 2"),
      convolution_by(first, "engine 3"), convolution_by(second, "engine 1"),
      convolution_by(second, "engine 4")};
  // Three engines for the first, two each for the second, which is no search; then two steps.
  const auto graphs = recorded_graphs("run", totals, {0, 1, 1, 2, 2, 3, 4, 1, 4, 1, 4});
  ASSERT_THAT(graphs.graphs, SizeIs(2));
  EXPECT_THAT(graphs.summary, Contains("run: 5 of 11 calls search for an algorithm: left out"));
  EXPECT_THAT(graphs.summary, Contains("run: a step of 2 calls, repeated 2 times"));
  EXPECT_THAT(graphs.graphs[1].layers, SizeIs(2)) << "the second's two calls before the steps";
}

// A prompt of 8 tokens and four tokens behind it, each with one key more.
TEST(RecordedGraphs, AStepWhoseKeysGrowIsOne) {
  std::vector<CallTotal> totals{convolution_by("gemm/m8_n64_k64_nt_w", ""),
                                convolution_by("attention/1x4x8x16_k4x8x16_s0.25_causal", ""),
                                convolution_by("gemm/m1_n64_k64_nt_w", "")};
  for (const int keys : {9, 10, 11, 12}) {
    totals.push_back(
        convolution_by("attention/1x4x1x16_k4x" + std::to_string(keys) + "x16_s0.25", ""));
  }
  const auto graphs = recorded_graphs("run", totals, {0, 1, 2, 3, 2, 4, 2, 5, 2, 6});
  ASSERT_THAT(graphs.graphs, SizeIs(2));
  EXPECT_THAT(
      graphs.summary,
      Contains("run: a step of 2 calls, repeated 4 times with 9 to 12 keys; shown: number 3"));
  ASSERT_THAT(graphs.graphs[0].layers, SizeIs(2));
  EXPECT_THAT(graphs.graphs[0].layers[1].problems,
              ElementsAre("attention/1x4x1x16_k4x11x16_s0.25"));
  ASSERT_THAT(graphs.graphs[1].layers, SizeIs(2)) << "the prompt";
}

TEST(RecordedGraphs, WithoutAStepEveryDistinctCallHasItsCount) {
  const RecordedGraphs graphs = recorded_graphs("run", three_calls(), {0, 0, 0, 1, 1, 2});
  ASSERT_THAT(graphs.graphs, SizeIs(1));
  const auto& layers = graphs.graphs[0].layers;
  ASSERT_THAT(layers, SizeIs(3));
  EXPECT_EQ(layers[0].name, "1_eltwise x3");
  EXPECT_THAT(layers[0].problems, ElementsAre("relu/2x3", "relu/2x3", "relu/2x3"));
  EXPECT_EQ(layers[0].flops, 18);
}

/// relu, tanh and exp of 2x3, in these types.
std::vector<CallTotal> calls_of_types(const std::vector<std::string>& types) {
  std::vector<CallTotal> calls;
  const char* algorithms[] = {"relu", "tanh", "exp"};
  for (const std::string& type : types) {
    CallTotal call = three_calls().front();
    call.text.memory = "data_" + type + "::blocked:ab:f0";
    call.text.auxiliary =
        std::string("alg:eltwise_") + algorithms[calls.size()] + " alpha:0 beta:0";
    calls.push_back(call);
  }
  return calls;
}

std::vector<std::string> precisions_of(const Graph& graph) {
  std::vector<std::string> list;
  for (const Layer& layer : graph.layers) list.push_back(layer.precision);
  return list;
}

TEST(RecordedGraphs, ATextThatIsContinuedTwiceHasTwoSteps) {
  std::vector<CallTotal> totals{convolution_by("attention/1x4x8x16_k4x8x16_s0.25_causal", "")};
  std::vector<std::uint32_t> text{0};
  for (std::uint32_t keys = 9; keys < 14; ++keys) {
    text.push_back(static_cast<std::uint32_t>(totals.size()));
    totals.push_back(
        convolution_by("attention/1x4x1x16_k4x" + std::to_string(keys) + "x16_s0.25", ""));
  }
  const RecordedGraphs graphs = recorded_graphs("run", totals, joined(text, text));
  ASSERT_THAT(graphs.graphs, SizeIs(2));
  EXPECT_THAT(graphs.graphs[1].layers[0].problems,
              ElementsAre("attention/1x4x8x16_k4x8x16_s0.25_causal"));
  EXPECT_THAT(graphs.summary,
              Contains("run: a step of 1 calls, repeated 10 times with 9 to 13 keys; shown: "
                       "number 6"));
  EXPECT_THAT(graphs.summary, Contains("run_rest: a step of 1 calls, repeated 2 times"));
}

TEST(RecordedGraphs, CallsOfSeveralPrecisionsStateTheirOwn) {
  const auto calls = calls_of_types({"f32", "bf16", "bf16"});
  const RecordedGraphs mixed = recorded_graphs("run", calls, {0, 1, 2, 0, 1, 2});
  ASSERT_THAT(mixed.graphs, SizeIs(1));
  EXPECT_THAT(precisions_of(mixed.graphs[0]), ElementsAre("fp32", "bf16", "bf16"));
  EXPECT_THAT(mixed.precisions, ElementsAre(Precision::fp32, Precision::bf16));
  EXPECT_THAT(mixed.summary,
              Contains(HasSubstr("by precision: fp32 1, bf16 2: each layer states")));
  // Without a step, and in what is before it, too.
  const RecordedGraphs counted = recorded_graphs("run", calls, {0, 1, 2});
  EXPECT_THAT(precisions_of(counted.graphs[0]), ElementsAre("fp32", "bf16", "bf16"));
  const RecordedGraphs rest = recorded_graphs("run", calls, {0, 1, 2, 2, 2, 2, 2, 2});
  ASSERT_THAT(rest.graphs, SizeIs(2));
  EXPECT_THAT(precisions_of(rest.graphs[1]), ElementsAre("fp32", "bf16"));
}

TEST(RecordedGraphs, OnePrecisionIsThatOfTheGraph) {
  const RecordedGraphs one = recorded_graphs("run", calls_of_types({"bf16", "bf16"}), {0, 1, 0, 1});
  EXPECT_THAT(precisions_of(one.graphs[0]), ElementsAre("", ""));
  EXPECT_EQ(one.graphs[0].precision, "bf16");
  EXPECT_THAT(one.precisions, ElementsAre(Precision::bf16));
  EXPECT_THAT(one.summary, testing::Not(Contains(HasSubstr("precision"))));
}

TEST(RecordedGraphs, AnotherPrecisionThanRecordedIsStated) {
  const auto calls = calls_of_types({"f32", "bf16", "bf16"});
  const std::vector<std::uint32_t> sequence{0, 1, 2, 0, 1, 2};
  const RecordedGraphs asked = recorded_graphs("run", calls, sequence, {Precision::bf16});
  EXPECT_THAT(precisions_of(asked.graphs[0]), ElementsAre("", "", ""));
  EXPECT_EQ(asked.graphs[0].precision, "bf16");
  EXPECT_THAT(asked.summary, Contains(HasSubstr("fp32 1, bf16 2: all are taken at bf16 instead")));
  const RecordedGraphs same =
      recorded_graphs("run", calls_of_types({"bf16", "bf16"}), {0, 1, 0, 1}, {Precision::bf16});
  EXPECT_THAT(same.summary, testing::Not(Contains(HasSubstr("precision"))));
}

TEST(RecordedGraphs, ATypeOfNoPrecisionIsUnsupported) {
  const RecordedGraphs read =
      recorded_graphs("run", calls_of_types({"f64", "f32", "f32"}), {0, 1, 2, 0, 1, 2});
  EXPECT_EQ(read.graphs[0].layers[0].cost, Cost::unsupported);
  EXPECT_THAT(read.graphs[0].layers[0].reason, HasSubstr("operands of f64"));
  // A log that tells no types: measured at the precision that is asked for, which is said.
  CallTotal silent = three_calls().front();
  silent.text.memory.clear();
  const RecordedGraphs unknown = recorded_graphs("run", {silent}, {0, 0});
  EXPECT_THAT(unknown.summary, Contains(HasSubstr("1 distinct calls do not say their precision")));
}

TEST(RecordedGraphs, HaveTheRecordedVariantsOfTheirCallsEachOnce) {
  const auto convolution = [](const std::string& algorithm) {
    return CallTotal{.text = {.source = "cudnn",
                              .kind = "cudnnBackendExecute",
                              .implementation = algorithm,
                              .memory = "fp16 nhwc",
                              .problem = "conv/1x3x8x8_k4x3x3_p0.0.0.0_s1x1_d1x1_g1"},
                     .calls = 1};
  };
  const RecordedGraphs graphs = recorded_graphs(
      "run", {convolution("engine 1"), convolution("engine 2 TILE_SIZE=3")}, {0, 1, 1, 1, 1, 1});
  ASSERT_THAT(graphs.graphs, SizeIs(2));
  const std::string name = "conv/1x3x8x8_k4x3x3_p0.0.0.0_s1x1_d1x1_g1/fp16/nhwc/cudnn/";
  EXPECT_THAT(graphs.graphs[0].recorded, ElementsAre(name + "engine2.k2=3"));
  EXPECT_THAT(graphs.graphs[1].recorded, ElementsAre(name + "engine1"));
}

TEST(RecordedGraphs, EmptyRecordingIsAnError) {
  EXPECT_THROW(recorded_graphs("run", {}, {}), Error);
  EXPECT_THROW(recorded_graphs("run", {three_calls().back()}, {0, 0}), Error);
}

TEST(RecordedGraphs, CallsOfTwoLogsHaveTheOrderOfTheirLaunches) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("benanza_recorded_" + std::to_string(::getpid()) + ".db");
  const std::string convolution = "conv/1x64x8x8_k64x1x1_p0.0.0.0_s1x1_d1x1_g1";
  {
    RecordingWriter writer(path, {});
    writer.add(7, 0, ClockEvent{});
    const auto launch = [&](std::int64_t time, std::uint32_t number, const char* kernel) {
      writer.add(7, 0,
                 ApiEvent{.name = "cudaLaunchKernel",
                          .start = time,
                          .end = time + 1,
                          .thread = 8,
                          .correlation = number});
      writer.add(7, 0,
                 KernelEvent{.at = {.start = time + 5, .end = time + 6, .correlation = number},
                             .name = kernel});
    };
    // Four steps of a convolution, computed by cuBLASLt, and a product.
    for (std::int64_t step = 1; step <= 4; ++step) {
      launch(step * 1000 + 10, static_cast<std::uint32_t>(2 * step), "nvjet_sm90_hsh_inside");
      launch(step * 1000 + 20, static_cast<std::uint32_t>(2 * step + 1), "nvjet_sm90_hsh_own");
    }
    const auto text = [](const char* source, const std::string& problem) {
      return CallText{.source = source, .engine = "gpu", .kind = source, .problem = problem};
    };
    for (int step = 1; step <= 4; ++step) {
      writer.add(
          {.text = text("cudnn", convolution), .started = step * 1e-6, .process = 7, .thread = 8});
    }
    for (int step = 1; step <= 4; ++step) {
      writer.add({.text = text("cublaslt", "gemm/m64_n64_k64_nt"), .process = 7});
      writer.add({.text = text("cublaslt", "gemm/m1_n10_k64_nt"), .process = 7});
    }
    writer.finish(1, 0);
  }
  const RecordedGraphs recorded = graphs_of_recording(path);
  std::filesystem::remove(path);
  ASSERT_THAT(recorded.graphs, SizeIs(1));
  const Graph& step = recorded.graphs[0];
  ASSERT_THAT(step.layers, SizeIs(2));
  EXPECT_THAT(step.layers[0].problems, ElementsAre(convolution));
  EXPECT_THAT(step.layers[1].problems, ElementsAre("gemm/m1_n10_k64_nt"));
  EXPECT_THAT(recorded.summary, Contains(HasSubstr("a step of 2 calls, repeated 4 times")));
}

}  // namespace
}  // namespace benanza::record
