// benanza-analyze suite: a graph file from a framework's profile.
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/profile_match/profile_graph.h"
#include "analysis/tests/program.h"
#include "analysis/tests/trace.h"
#include "core/base/error.h"

namespace benanza::analysis {
namespace {

using test::expect_error;
using test::Folder;
using test::Outcome;
using test::run_program;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

ProfiledNode suite_node(const std::string& name, double seconds, std::vector<Part> parts) {
  return {.name = name,
          .seconds = seconds,
          .parts = std::move(parts),
          .kernels = {{.name = "kernel", .seconds = seconds}}};
}

const Part product{.op = "MatMul", .problem = "gemm/m2_n4_k8_nt_w", .output = {2, 4}, .bias = true};
const Part bias{.op = "Add", .problem = "add/2x4_1x4", .output = {2, 4}, .optional = true};
const Part relu{.op = "Relu", .problem = "relu/2x4", .output = {2, 4}};

TEST(ProfileGraph, OneLayerForEveryPartInOrder) {
  Profile profile{.batch = 2,
                  .nodes = {suite_node("aten::linear", 3e-6, {product, bias}),
                            suite_node("aten::relu", 1e-6, {relu})}};
  profile.nodes.push_back({.name = "aten::view"});
  const ProfileGraph made = graph_of_profile(profile, "m");
  EXPECT_EQ(made.graph.model, "m");
  EXPECT_EQ(made.graph.batch, 2);
  ASSERT_THAT(made.graph.layers, SizeIs(2));
  const Layer& first = made.graph.layers[0];
  EXPECT_EQ(first.name, "1_aten::linear");
  EXPECT_EQ(first.op, "MatMul");
  // The bias is added by the same call.
  EXPECT_THAT(first.problems, ElementsAre("gemm/m2_n4_k8_nt_w_bias"));
  // 2 * 2 * 4 * 8 for the product, 8 for the bias.
  EXPECT_EQ(first.flops, 136);
  EXPECT_EQ(first.cost, Cost::measured);
  EXPECT_EQ(first.outputs.at(0).shape, (std::vector<std::int64_t>{2, 4}));
  EXPECT_THAT(made.graph.layers[1].inputs, ElementsAre(0));
  EXPECT_THAT(made.graph.layers[1].problems, ElementsAre("relu/2x4"));
  EXPECT_DOUBLE_EQ(made.seconds, 4e-6);
  EXPECT_DOUBLE_EQ(made.known_seconds, 4e-6);
  EXPECT_THAT(made.unknown, IsEmpty());
}

TEST(ProfileGraph, WhatHasNoProblemIsALayerAllTheSame) {
  const Profile profile{.nodes = {suite_node("aten::relu", 1e-6, {relu}),
                                  suite_node("aten::pad", 5e-6, {{.op = "Pad"}}),
                                  suite_node("aten::fft", 2e-6, {})}};
  const ProfileGraph made = graph_of_profile(profile, "m");
  ASSERT_THAT(made.graph.layers, SizeIs(3));
  EXPECT_EQ(made.graph.layers[1].cost, Cost::unsupported);
  EXPECT_THAT(made.graph.layers[1].reason, HasSubstr("aten::pad"));
  EXPECT_EQ(made.graph.layers[2].op, "aten::fft");
  EXPECT_DOUBLE_EQ(made.known_seconds, 1e-6);
  EXPECT_THAT(made.unknown,
              ElementsAre(testing::Pair("aten::fft", 2e-6), testing::Pair("aten::pad", 5e-6)));
}

// Frameworks run attention as one kernel, so a bound of its products and softmax alone would be
// undercut.
TEST(ProfileGraph, AttentionIsALayerThatOneCallMayDo) {
  const std::string whole = "attention/1x2x8x4_k2x8x4_s0.5";
  const std::vector<Part> parts{
      {.op = "MatMul", .problem = "gemm/m8_n8_k4_nn_a1x2_b1x2", .whole = whole},
      {.op = "Softmax", .problem = "softmax/1x2x8x8_a3", .whole = whole},
      {.op = "MatMul",
       .problem = "gemm/m8_n4_k8_nn_a1x2_b1x2",
       .output = {1, 2, 8, 4},
       .whole = whole}};
  const Graph made =
      graph_of_profile({.nodes = {suite_node("aten::sdpa", 1e-6, parts)}}, "m").graph;
  ASSERT_THAT(made.layers, SizeIs(1));
  EXPECT_EQ(made.layers[0].op, "Attention");
  EXPECT_THAT(made.layers[0].problems, SizeIs(3));
  ASSERT_THAT(made.fusions, SizeIs(1));
  EXPECT_EQ(made.fusions[0].problem, whole);
  EXPECT_THAT(made.fusions[0].layers, ElementsAre(0));
  EXPECT_TRUE(made.fusions[0].whole) << "the framework's operator";
  // Grouped heads: no single product does the scores.
  std::vector<Part> grouped = parts;
  grouped[0].problem.clear();
  const Graph one =
      graph_of_profile({.nodes = {suite_node("aten::sdpa", 1e-6, grouped)}}, "m").graph;
  EXPECT_THAT(one.layers.at(0).problems, ElementsAre(whole));
  EXPECT_THAT(one.fusions, IsEmpty());
}

TEST(ProfileGraph, TheGradientOfAttentionIsALayerOfItsOwn) {
  const std::string whole = "attention_bwd/1x2x8x4_k2x8x4_s0.5";
  const std::vector<Part> parts{
      {.op = "MatMulGrad", .problem = "gemm/m8_n4_k8_nn_a1x2_b1x2", .whole = whole},
      {.op = "MulGrad", .optional = true, .whole = whole},
      {.op = "SoftmaxGrad", .problem = "softmax_bwd/1x2x8x8_a3", .whole = whole}};
  const Graph made =
      graph_of_profile({.nodes = {suite_node("aten::sdpa", 1e-6, parts)}}, "m").graph;
  ASSERT_THAT(made.layers, SizeIs(1));
  EXPECT_EQ(made.layers[0].op, "AttentionGrad");
  EXPECT_THAT(made.layers[0].problems, SizeIs(2));
  EXPECT_EQ(made.fusions.at(0).problem, whole);
}

// A model may have a conversion of types as a layer or not; in a profile it takes time.
TEST(ProfileGraph, ConversionsOfTypesAreMovement) {
  const Profile profile{
      .nodes = {
          suite_node("aten::to", 1e-6,
                     {{.op = "Cast", .problem = "narrow/2x4", .output = {2, 4}, .optional = true},
                      {.op = "Transpose", .optional = true}}),
          suite_node("aten::relu", 1e-6, {relu})}};
  const ProfileGraph made = graph_of_profile(profile, "m");
  ASSERT_THAT(made.graph.layers, SizeIs(2));
  EXPECT_EQ(made.graph.layers[0].op, "Cast");
  EXPECT_EQ(made.graph.layers[0].cost, Cost::movement);
  EXPECT_EQ(made.graph.layers[0].precision, "cast");
  EXPECT_EQ(made.graph.layers[1].precision, "");
  EXPECT_THAT(made.unknown, IsEmpty());
}

TEST(ProfileGraph, CopiesMove) {
  const Profile profile{
      .nodes = {suite_node("aten::cat", 1e-6,
                           {{.op = "Concat", .problem = "concat/1x8x4x4_1x8x4x4_a1"}})}};
  EXPECT_EQ(graph_of_profile(profile, "m").graph.layers[0].cost, Cost::movement);
}

TEST(ProfileGraph, ViewsAreFreeThoughAProcessorTakesTimeForThem) {
  Profile profile{
      .framework = "pytorch",
      .nodes = {suite_node("aten::relu", 1e-6, {relu}), suite_node("aten::flatten", 2e-6, {})}};
  EXPECT_THAT(graph_of_profile(profile, "m").graph.layers, SizeIs(1));
  // What runs on a GPU is a copy.
  profile.timeline.emplace();
  EXPECT_THAT(graph_of_profile(profile, "m").graph.layers, SizeIs(2));
}

TEST(ProfileGraph, NeedsSizes) {
  const Profile profile{.path = "x.json",
                        .nodes = {suite_node("aten::pad", 5e-6, {{.op = "Pad"}})}};
  EXPECT_THROW(graph_of_profile(profile, "m"), Error);
}

std::set<std::string> convolutions(const Graph& graph) {
  std::set<std::string> keys;
  for (const Layer& layer : graph.layers) {
    for (const std::string& key : layer.problems) {
      if (key.starts_with("conv/")) keys.insert(key);
    }
  }
  return keys;
}

// The trace of a network has the same convolutions as its ONNX file.
TEST(SuiteProgram, OfATraceHasTheModelsConvolutions) {
  const Folder folder;
  const Outcome outcome =
      run_program("suite " + test::data("resnet50.pytorch.trace.json.gz").string() + " --out " +
                      (folder.path() / "s").string(),
                  folder);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("resnet50.graph.json: 174 layers, 54 distinct problems"));
  EXPECT_THAT(outcome.out, HasSubstr("problems for 100.0% of"));
  const Graph made = read_graph(folder.path() / "s/resnet50.graph.json");
  const Graph model = read_graph(test::data("resnet50.graph.json.gz"));
  EXPECT_EQ(convolutions(made), convolutions(model));
}

TEST(SuiteProgram, ABareTraceOfAProcessorWillDo) {
  const Folder folder;
  test::TraceWriter trace;
  trace
      .op("aten::conv2d", {{2, 3, 8, 8}, {4, 3, 1, 1}, {}}, {"[1, 1]", "[0, 0]", "[1, 1]", "1"}, {})
      .op("aten::relu", {{2, 4, 8, 8}}, {}, {});
  const auto file = folder.write("host.trace.json", trace.text());
  const Outcome outcome =
      run_program("suite " + file.string() + " --out " + (folder.path() / "s").string(), folder);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Graph made = read_graph(folder.path() / "s/host.graph.json");
  ASSERT_THAT(made.layers, SizeIs(2));
  EXPECT_THAT(made.layers[0].problems, ElementsAre("conv/2x3x8x8_k4x1x1_p0.0.0.0_s1x1_d1x1_g1"));
}

TEST(SuiteProgram, NoGraphOverwritesAnother) {
  const Folder folder;
  const std::string trace = test::data("resnet50.pytorch.trace.json.gz").string();
  expect_error(
      run_program("suite " + trace + ' ' + trace + " --out " + (folder.path() / "s").string(),
                  folder),
      "resnet50 would be written twice; give another folder to one of the profiles");
}

TEST(SuiteProgram, KernelsOfJaxAreWork) {
  const Folder folder;
  folder.write("m.hlo.txt", R"(ENTRY %main {
  %x = bf16[8,64]{1,0} parameter(0)
  ROOT %loop_exponential_fusion = bf16[8,64]{1,0} exponential(%x)
}
)");
  folder.write("m.trace.json", R"({"traceEvents": [
    {"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "/device:GPU:0"}},
    {"ph": "X", "pid": 7, "tid": 1, "ts": 0, "dur": 10, "name": "step", "args": {"step_num": "0"}},
    {"ph": "X", "pid": 1, "tid": 1, "ts": 2, "dur": 3, "name": "kernel",
     "args": {"hlo_op": "loop_exponential_fusion"}}]})");
  const auto profile =
      folder.write("m.json", R"({"schema": 1, "framework": "jax", "version": "0.11",
    "model": "m", "batch": 8, "precision": "bf16", "device": "GPU", "latency_seconds": [1e-5],
    "hlo": "m.hlo.txt", "trace": "m.trace.json"})");
  const auto result =
      run_program("suite " + profile.string() + " --out " + (folder.path() / "s").string(), folder);
  EXPECT_THAT(result.out, HasSubstr("problems for 100.0% of 0.003 ms"));
}

TEST(SuiteProgram, AProfileWithoutSizesIsOneLine) {
  const Folder folder;
  expect_error(run_program("suite " + test::data("small.onnxruntime.json").string() + " --out " +
                               (folder.path() / "s").string(),
                           folder),
               "small.onnxruntime.json: none of its operators has a problem: ReorderInput");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "s"));
}

// "100%" is of what the trace tells; what it lost is said beside it.
TEST(SuiteProgram, SaysWhatTheTraceLacks) {
  const Folder folder;
  const Outcome outcome =
      run_program("suite " + test::data("traces/launch_without_kernel.json").string() + " --out " +
                      (folder.path() / "s").string(),
                  folder);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("problems for 100.0% of 0.022 ms"));
  EXPECT_THAT(outcome.out, HasSubstr("note: 1 of 3 launches have no kernel in the trace"));
}

}  // namespace
}  // namespace benanza::analysis
