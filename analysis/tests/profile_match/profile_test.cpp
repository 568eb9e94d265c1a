#include <gmock/gmock.h>

#include "analysis/profile_match/comparison.h"
#include "analysis/profile_match/same_model.h"
#include "analysis/profiles/onnxruntime/events.h"
#include "analysis/profiles/profile.h"
#include "analysis/tests/build.h"
#include "analysis/tests/folder.h"

namespace benanza::analysis {
namespace {

using test::contents;
using test::error_of;
using test::Folder;
using test::layer;
using test::ms;
using test::us;
using testing::AllOf;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::UnorderedElementsAre;

const ProfiledNode& node_of(const Profile& profile, const std::string& name) {
  for (const ProfiledNode& node : profile.nodes) {
    if (node.name == name) return node;
  }
  throw Error("no node " + name);
}

TEST(OnnxRuntime, TimesAreMediansOverTheProfiledRuns) {
  const Profile profile = read_profile(test::data("small.onnxruntime.json"));
  EXPECT_EQ(profile.framework, "onnxruntime");
  EXPECT_EQ(profile.model, "small");
  EXPECT_EQ(profile.batch, 1);
  EXPECT_EQ(profile.threads, 2);
  EXPECT_EQ(profile.latency_seconds.size(), 20);
  EXPECT_EQ(profile.nodes.size(), 17);
  EXPECT_DOUBLE_EQ(node_of(profile, "lrn").seconds, 1939 * us);         // 1939, 1663, 17246
  EXPECT_DOUBLE_EQ(node_of(profile, "rb_nchwc").seconds, 107 * us);     // 145, 107, 107
  EXPECT_DOUBLE_EQ(node_of(profile, "ReorderInput").seconds, 30 * us);  // 40, 20, 30
  EXPECT_EQ(profile.nodes.front().name, "r0_nchwc");
  EXPECT_EQ(profile.nodes.back().name, "softmax");
}

TEST(OnnxRuntime, AnotherProviderIsNamedWithItsReservation) {
  const test::Folder folder;
  const auto file = folder.write("p.json", R"({"schema": 1, "framework": "onnxruntime",
    "version": "1.27", "model": "m", "batch": 1, "precision": "fp32", "latency_seconds": [1e-3],
    "trace": [{"cat": "Session", "name": "model_run", "ts": 0, "dur": 100, "args": {}},
      {"cat": "Node", "name": "a_kernel_time", "ts": 10, "dur": 5,
       "args": {"op_name": "Conv", "node_index": "0", "provider": "CUDAExecutionProvider"}},
      {"cat": "Node", "name": "b_kernel_time", "ts": 20, "dur": 6,
       "args": {"op_name": "Shape", "node_index": "1", "provider": "CPUExecutionProvider"}}]})");
  const Profile profile = read_profile(file);
  EXPECT_EQ(profile.named_version(), "1.27 CUDAExecutionProvider");
  EXPECT_EQ(profile.nodes.size(), 2);
  EXPECT_DOUBLE_EQ(node_of(profile, "a").seconds, 5 * us);
  EXPECT_EQ(profile.launched_on, "CUDAExecutionProvider");
  EXPECT_THAT(profile.remarks, ElementsAre(HasSubstr("it states no shapes"),
                                           HasSubstr("operators ran on CUDAExecutionProvider")));
}

TEST(OnnxRuntime, NamesOfFusedNodesLeadBackToTheModel) {
  const Profile profile = read_profile(test::data("torchvision_alexnet.onnxruntime.json"));
  const ProfiledNode& product = node_of(profile, "fused /classifier/classifier.1/Gemm");
  EXPECT_EQ(product.origin, "/classifier/classifier.1/Gemm");
  EXPECT_EQ(product.op, "Gemm");
  EXPECT_EQ(node_of(profile, "/features/features.1/Relu_output_0_nchwc").origin,
            "/features/features.1/Relu_output_0");
}

/// Names of the layers that the node called `name` does.
std::vector<std::string> layers_of(const std::string& name, const Graph& graph,
                                   const Profile& profile) {
  const Mapping mapping = map_layers(graph, profile.nodes);
  std::vector<std::string> names;
  for (std::size_t node = 0; node < profile.nodes.size(); ++node) {
    if (profile.nodes[node].name != name) continue;
    for (const std::size_t layer : mapping.layers_of_node[node]) {
      names.push_back(graph.layers[layer].name);
    }
  }
  return names;
}

// An If of 38 us around a Sigmoid of 13 us, which starts with it, and a Loop of 12 us around two
// Relus of 3 us each: 13 us and 6 us of their own. Timestamps are whole microseconds.
TEST(OnnxRuntime, WhatABodyTakesIsNotItsIfs) {
  const auto event = [](const std::string& name, const std::string& op, int ts, int dur) {
    return R"({"cat": "Node", "name": ")" + name + R"(_kernel_time", "ts": )" + std::to_string(ts) +
           R"(, "dur": )" + std::to_string(dur) + R"(, "args": {"op_name": ")" + op +
           R"(", "node_index": "0"}})";
  };
  const test::Folder folder;
  const Profile profile = read_profile(folder.write(
      "p.json",
      R"({"schema": 1, "framework": "onnxruntime", "version": "1", "model": "m", "batch": 1,
          "precision": "fp32", "threads": 2, "latency_seconds": [1e-4], "trace": [
          {"cat": "Session", "name": "model_run", "ts": 0, "dur": 100},)" +
          event("s", "Sigmoid", 10, 13) + ',' + event("y", "If", 10, 38) + ',' +
          event("l", "Loop", 30, 12) + ',' + event("r", "Relu", 31, 3) + ',' +
          event("r", "Relu", 35, 3) + ',' + event("z", "MatMul", 50, 18) + "]}"));
  std::map<std::string, double> microseconds;
  for (const ProfiledNode& node : profile.nodes) microseconds[node.name] = node.seconds * 1e6;
  EXPECT_THAT(microseconds,
              UnorderedElementsAre(Pair("y", DoubleNear(13, 1e-9)), Pair("s", DoubleNear(13, 1e-9)),
                                   Pair("l", DoubleNear(6, 1e-9)), Pair("r", DoubleNear(6, 1e-9)),
                                   Pair("z", DoubleNear(18, 1e-9))));
}

TEST(Mapping, OfAConvolutionFusedWithWhatFollows) {
  const Graph graph = read_graph(test::data("small.graph.json"));
  const Profile profile = read_profile(test::data("small.onnxruntime.json"));
  EXPECT_THAT(layers_of("r0_nchwc", graph, profile),
              ElementsAre("stem/conv", "stem/bn", "stem/relu"));
  EXPECT_THAT(layers_of("cp_nchwc", graph, profile), ElementsAre("p/conv"));
  EXPECT_THAT(layers_of("clip_nchwc", graph, profile), ElementsAre("dw", "clip"));
  EXPECT_THAT(layers_of("fc/matmul/MatMulAddFusion", graph, profile),
              ElementsAre("fc/matmul", "fc/add"));
  EXPECT_THAT(layers_of("ReorderInput", graph, profile), IsEmpty());
}

// Its blocked layout turns these into convolutions, and numbers names that are taken.
TEST(Mapping, OfConvolutionsThatReplaceElementwiseLayers) {
  EXPECT_EQ(onnxruntime::origin_of("r_nchwc_token_7"), "r");
  EXPECT_EQ(onnxruntime::origin_of("r_token_7"), "r_token_7");
  EXPECT_EQ(onnxruntime::replaced_tensor("r_bn_nchwc_token_12"), "r");
  EXPECT_EQ(onnxruntime::replaced_tensor("r_mul_nchwc"), "r");
  EXPECT_EQ(onnxruntime::replaced_tensor("r_mul"), "");
  Graph graph{.model = "m", .batch = 1};
  const auto add = [&](const char* op, const char* tensor) {
    Layer next = test::layer(op, {});
    next.op = op;
    if (!graph.layers.empty()) next.inputs = {graph.layers.size() - 1};
    next.outputs = {{.name = tensor}};
    graph.layers.push_back(next);
  };
  add("Conv", "c");
  add("BatchNormalization", "b");
  add("Mul", "x_mul");
  add("Mul", "y");
  Profile profile{.path = "p.json", .framework = "onnxruntime"};
  for (const char* const name : {"c_nchwc", "b_bn_nchwc", "x_mul_nchwc", "y_mul_nchwc"}) {
    profile.nodes.push_back({.name = name,
                             .origin = onnxruntime::origin_of(name),
                             .replaced = onnxruntime::replaced_tensor(name),
                             .op = "Conv"});
  }
  EXPECT_THAT(layers_of("c_nchwc", graph, profile), ElementsAre("Conv"));
  EXPECT_THAT(layers_of("b_bn_nchwc", graph, profile), ElementsAre("BatchNormalization"));
  EXPECT_THAT(layers_of("x_mul_nchwc", graph, profile), ElementsAre("Mul"));
  EXPECT_THAT(layers_of("y_mul_nchwc", graph, profile), ElementsAre("Mul"));
}

TEST(Mapping, OfNodesThatHaveNoNameInTheModel) {
  // This convolution and its ReLU have no names in the model; their tensors do.
  const Graph graph = read_graph(test::data("small.graph.json"));
  const Profile profile = read_profile(test::data("small.onnxruntime.json"));
  EXPECT_THAT(layers_of("rb_nchwc", graph, profile), ElementsAre("Conv_13", "Relu_14"));
}

TEST(Mapping, OfARealModelLeavesNoMeasuredLayerOut) {
  const Graph graph =
      read_graph(test::data("../../../core/tests/data/torchvision_alexnet.graph.json"));
  const Profile profile = read_profile(test::data("torchvision_alexnet.onnxruntime.json"));
  const Mapping mapping = map_layers(graph, profile.nodes);
  for (std::size_t index = 0; index < graph.layers.size(); ++index) {
    if (graph.layers[index].cost != Cost::measured) continue;
    EXPECT_TRUE(mapping.node_of_layer[index].has_value()) << graph.layers[index].name;
  }
  for (std::size_t node = 0; node < profile.nodes.size(); ++node) {
    EXPECT_EQ(mapping.layers_of_node[node].empty(), profile.nodes[node].name == "ReorderOutput");
  }
}

Layer convolution(const std::string& name, std::vector<std::size_t> inputs) {
  Layer made = layer(name, std::move(inputs));
  made.op = "Conv";
  made.problems = {"conv/" + name};
  return made;
}

ProfiledNode profiled(const std::string& origin, const std::string& op, double seconds = 1 * ms) {
  return {.name = origin, .origin = origin, .op = op, .seconds = seconds};
}

TEST(Mapping, AResidualAddBelongsToTheConvolutionThatRanLast) {
  // block: input -> shortcut; input -> c -> add(c, shortcut) -> relu
  Graph graph{.model = "m",
              .layers = {convolution("input", {}), convolution("shortcut", {0}),
                         convolution("c", {0}), layer("add", {1, 2}), layer("relu", {3})}};
  graph.layers[3].op = "Add";
  const Mapping mapping = map_layers(
      graph, {profiled("input", "Conv"), profiled("shortcut", "Conv"), profiled("c", "Conv")});
  EXPECT_THAT(mapping.layers_of_node[1], ElementsAre(1));
  EXPECT_THAT(mapping.layers_of_node[2], ElementsAre(2, 3, 4));
  EXPECT_TRUE(mapping.named[2]);
  EXPECT_FALSE(mapping.named[3]);
}

TEST(Mapping, GoesThroughFreeLayers) {
  const Graph graph{.model = "m",
                    .layers = {convolution("c", {}), layer("dropout", {0}, Cost::free, "no-op"),
                               layer("relu", {1})}};
  const Mapping mapping = map_layers(graph, {profiled("c", "Conv")});
  EXPECT_THAT(mapping.layers_of_node[0], ElementsAre(0, 2));
  EXPECT_EQ(mapping.node_of_layer[1], std::nullopt);
}

TEST(Mapping, AChainEndsAtTheNearestLayerOfItsOperator) {
  const Graph graph{.model = "m",
                    .layers = {convolution("c1", {}), convolution("c2", {0}), layer("r", {1})}};
  const Mapping mapping = map_layers(graph, {profiled("c1", "Conv"), profiled("r_out", "Conv")});
  EXPECT_THAT(mapping.layers_of_node[0], ElementsAre(0));
  EXPECT_THAT(mapping.layers_of_node[1], ElementsAre(1, 2));
}

TEST(Mapping, AChainDoesNotTakeALayerThatHasItsOwnNode) {
  const Graph graph{.model = "m", .layers = {convolution("c", {}), layer("r", {0})}};
  const Mapping mapping = map_layers(graph, {profiled("c", "Conv"), profiled("r_out", "Conv")});
  EXPECT_THAT(mapping.layers_of_node[0], ElementsAre(0));
  EXPECT_THAT(mapping.layers_of_node[1], ElementsAre(1));
}

TEST(Mapping, HoldsWholeWordsOnly) {
  const Graph graph{.model = "m", .layers = {convolution("conv1", {}), convolution("conv10", {0})}};
  const Mapping mapping =
      map_layers(graph, {profiled("optimised:conv10:v2", "Conv"), profiled("conv1/fast", "Conv")});
  EXPECT_THAT(mapping.layers_of_node[0], ElementsAre(1));
  EXPECT_THAT(mapping.layers_of_node[1], ElementsAre(0));
}

TEST(Mapping, TakesTheOrderWhereNamesAreGone) {
  const Graph graph{.model = "m", .layers = {convolution("c1", {}), convolution("c2", {0})}};
  const Mapping same =
      map_layers(graph, {profiled("x", "Conv"), profiled("r", "Reorder"), profiled("y", "Conv")});
  EXPECT_THAT(same.layers_of_node[0], ElementsAre(0));
  EXPECT_THAT(same.layers_of_node[1], IsEmpty());
  EXPECT_THAT(same.layers_of_node[2], ElementsAre(1));
  // Three nodes for two layers: the assignment would be a guess.
  const Mapping other =
      map_layers(graph, {profiled("x", "Conv"), profiled("y", "Conv"), profiled("z", "Conv")});
  EXPECT_EQ(other.node_of_layer[0], std::nullopt);
}

/// c (Conv, 3 ms) -> relu (1 ms), and the bounds of both.
struct ProfileCase {
  Graph graph{.model = "m", .batch = 1, .layers = {convolution("c", {}), layer("relu", {0})}};
  MeasurementSet set = test::steady({{"relu", 1 * ms}});
  std::vector<LayerTime> times;
  Bounds result;

  ProfileCase() {
    set.add(test::measured("conv/c/fp32/any/onednn/jit", {3 * ms, 3 * ms}));
    times = layer_times(graph, set, {});
    result = bounds(graph, times, Movement::exclude);
  }
};

Profile profile_of_nodes(std::vector<ProfiledNode> nodes) {
  return {.path = "p.json",
          .framework = "onnxruntime",
          .model = "m",
          .batch = 1,
          .precision = "fp32",
          .threads = 2,
          .device = "a CPU",
          .latency_seconds = {7 * ms, 8 * ms, 12 * ms},
          .nodes = std::move(nodes)};
}

TEST(Comparison, RatioIsBoundOverMedianLatency) {
  const ProfileCase given;
  const Profile profile =
      profile_of_nodes({profiled("relu_out", "Conv", 6 * ms), profiled("pad", "Reorder", ms)});
  const Comparison comparison = compare(given.graph, given.times, given.result, profile);
  EXPECT_DOUBLE_EQ(comparison.latency.value().seconds, 8 * ms);
  EXPECT_DOUBLE_EQ(comparison.latency->sequential_ratio, 0.5);  // (3 + 1) / 8
  EXPECT_DOUBLE_EQ(comparison.latency->parallel_ratio, 0.5);
  EXPECT_DOUBLE_EQ(comparison.losses.operator_seconds, 7 * ms);
  ASSERT_EQ(comparison.losses.list.size(), 2);
  EXPECT_EQ(comparison.losses.list[0].node, 0);
  EXPECT_DOUBLE_EQ(comparison.losses.list[0].bound_seconds, 4 * ms);
  EXPECT_DOUBLE_EQ(comparison.losses.list[0].lost_seconds, 2 * ms);
  EXPECT_DOUBLE_EQ(comparison.losses.list[1].lost_seconds, 1 * ms);
  EXPECT_THAT(comparison.extra_nodes, ElementsAre(1));
  EXPECT_THAT(comparison.absent_layers, IsEmpty());
}

TEST(Comparison, FoldedLayersAreAbsentAndCountedWhereTheyWentTo) {
  const ProfileCase given;
  const Profile profile = profile_of_nodes({profiled("c", "Conv", 3.5 * ms)});
  const Comparison comparison = compare(given.graph, given.times, given.result, profile);
  EXPECT_THAT(comparison.absent_layers, ElementsAre(1));
  EXPECT_DOUBLE_EQ(comparison.losses.list.at(0).lost_seconds,
                   -0.5 * ms);  // one call does both: faster
}

TEST(Comparison, NothingIsLostAgainstAnUnknownBound) {
  ProfileCase given;
  given.times[0] = {.status = LayerStatus::unsupported};
  const Comparison comparison =
      compare(given.graph, given.times, given.result,
              profile_of_nodes({profiled("c", "Conv"), profiled("relu", "Relu")}));
  EXPECT_THAT(comparison.losses.unknown, ElementsAre(0));
  ASSERT_EQ(comparison.losses.list.size(), 1);
  EXPECT_EQ(comparison.losses.list[0].node, 1);
}

TEST(Comparison, AProfileWithoutTheConvolutionsIsOfAnotherModel) {
  const ProfileCase given;
  const Profile profile = profile_of_nodes({profiled("other", "MatMul"), profiled("relu", "Relu")});
  const std::string error =
      error_of([&] { compare(given.graph, given.times, given.result, profile); });
  EXPECT_THAT(error, AllOf(HasSubstr("p.json"), HasSubstr("another model"),
                           HasSubstr("0 of the 1 convolutions"), Not(HasSubstr("\n"))));
}

TEST(Comparison, SaysWhatDiffers) {
  const Profile profile = profile_of_nodes({});
  const System same{{"threads", "2"}, {"cpu_model", "a CPU"}};
  EXPECT_THAT(differences(profile, Precision::fp32, {{"onednn", same}}), IsEmpty());
  const System other{{"threads", "4"}, {"cpu_model", "a CPU"}};
  EXPECT_THAT(differences(profile, Precision::int8, {{"onednn", other}}),
              ElementsAre("precision: fp32 in the profile, int8 in the results",
                          "threads: 2 in the profile, 4 in the results"));
}

TEST(Comparison, DevicesAreComparedAsFarAsTheyAreKnown) {
  Profile profile = profile_of_nodes({});
  EXPECT_EQ(other_device(profile, {{"cpu_model", "a CPU   "}}), std::nullopt);
  EXPECT_EQ(other_device(profile, {{"cpu_model", "unknown"}}), std::nullopt);
  EXPECT_EQ(other_device(profile, {{"device", "a GPU"}}), std::nullopt);
  EXPECT_EQ(other_device(profile, {{"cpu_model", "another CPU"}}), "another CPU");
  profile.timeline = Timeline{};
  EXPECT_EQ(other_device(profile, {{"cpu_model", "another CPU"}}), std::nullopt);
  EXPECT_EQ(other_device(profile, {{"device", "a GPU"}}), "a GPU");
  profile.device.clear();
  EXPECT_EQ(other_device(profile, {{"device", "a GPU"}}), std::nullopt);
}

TEST(Comparison, ModelAndBatchSayWhatAProfileIsOf) {
  Graph graph{.model = "m", .batch = 8};
  EXPECT_FALSE(is_of(profile_of_nodes({}), graph));
  graph.batch = 1;
  EXPECT_TRUE(is_of(profile_of_nodes({}), graph));
  graph.batch.reset();
  EXPECT_TRUE(is_of(profile_of_nodes({}), graph));
  graph.model = "n";
  EXPECT_FALSE(is_of(profile_of_nodes({}), graph));
}

TEST(ReadProfile, BadFilesAreOneLine) {
  const Folder folder;
  const std::string good = contents(test::data("small.onnxruntime.json"));
  const auto without = [&](const std::string& what, const std::string& by) {
    std::string text = good;
    return text.replace(text.find(what), what.size(), by);
  };
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "empty"},
      {good.substr(0, good.size() / 2), "cut short"},
      {"{}", "no framework known"},
      {without("\"framework\": \"onnxruntime\"", "\"framework\": \"abacus\""),
       "no framework known"},
      {without("\"schema\": 1", "\"schema\": 3"), "schema 3"},
      {without("\"latency_seconds\"", "\"latency\""), "latency_seconds"},
      {without("\"trace\": [", "\"trace\": [], \"was\": ["), "no operators"},
  };
  for (const auto& [text, says] : cases) {
    const auto file = folder.write("bad.json", text);
    EXPECT_THAT(error_of([&] { read_profile(file); }),
                AllOf(HasSubstr(file.string() + ": "), HasSubstr(says), Not(HasSubstr("\n"))));
  }
}

}  // namespace
}  // namespace benanza::analysis
