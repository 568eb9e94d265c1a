#include "core/graph_file/graph.h"

#include <gmock/gmock.h>

#include "core/tests/folder.h"

namespace benanza {
namespace {

using test::error_of;
using test::Folder;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::string good = R"({"schema": 1, "model": "m", "batch": 8, "layers": [
  {"name": "c", "op": "Conv", "inputs": [], "cost": "measured", "reason": "",
   "problems": ["conv/x", "add/x"], "flops": 2e9, "bytes": 100,
   "outputs": [{"name": "c_out", "type": "float", "shape": [8, 4]}]},
  {"name": "e", "op": "Einsum", "inputs": [0], "cost": "unsupported", "reason": "no lowering",
   "problems": [], "flops": null, "bytes": 64, "assumed": "nz:1=20",
   "outputs": [{"name": "", "type": "", "shape": null}]}],
 "fusions": [{"pattern": "conv_bias", "layers": [0], "problem": "conv/x_bias"}]})";

TEST(ReadGraph, ReadsEveryField) {
  const Folder folder;
  const Graph graph = read_graph(folder.write("m.graph.json", good));
  EXPECT_EQ(title(graph), "m, batch 8");
  ASSERT_EQ(graph.layers.size(), 2);
  EXPECT_EQ(graph.layers[0].cost, Cost::measured);
  EXPECT_THAT(graph.layers[0].problems, ElementsAre("conv/x", "add/x"));
  EXPECT_THAT(graph.layers[0].outputs,
              ElementsAre(Output{"c_out", "float", std::vector<std::int64_t>{8, 4}}));
  EXPECT_EQ(graph.layers[1].outputs[0].shape, std::nullopt);
  EXPECT_EQ(graph.layers[0].flops, 2e9);
  EXPECT_EQ(graph.layers[1].cost, Cost::unsupported);
  EXPECT_EQ(graph.layers[1].flops, std::nullopt);
  EXPECT_EQ(graph.layers[1].bytes, 64);
  EXPECT_EQ(graph.layers[1].reason, "no lowering");
  EXPECT_EQ(graph.layers[0].assumed, "");
  EXPECT_EQ(graph.layers[0].phase, "") << "of inference";
  EXPECT_EQ(graph.layers[1].assumed, "nz:1=20");
  EXPECT_THAT(graph.layers[1].inputs, ElementsAre(0));
  ASSERT_EQ(graph.fusions.size(), 1);
  EXPECT_EQ(graph.fusions[0].problem, "conv/x_bias");
  EXPECT_FALSE(graph.fusions[0].keeps_residual) << "files of before it was known";
  EXPECT_FALSE(graph.fusions[0].whole) << "files of before it was known";
  EXPECT_EQ(graph.compulsory, std::nullopt) << "files of before it was known";
}

TEST(ReadGraph, ReadsWhatTheGeneratorWrote) {
  const Graph graph = read_graph(BENANZA_TEST_DATA "/torchvision_alexnet.graph.json");
  EXPECT_EQ(graph.model, "torchvision_alexnet");
  EXPECT_EQ(graph.batch, 1);
  EXPECT_EQ(graph.fusions.size(), 8);  // five convolutions, three products, all with a bias
}

TEST(GraphJson, IsWhatTheReaderReads) {
  const Folder folder;
  for (const std::string& file : {std::string(BENANZA_TEST_DATA "/torchvision_alexnet.graph.json"),
                                  folder.write("m.graph.json", good).string()}) {
    Graph graph = read_graph(file);
    graph.fusions[0].keeps_residual = true;
    graph.fusions[0].whole = true;
    graph.fusions[0].also = {"attention_bwd/1x1x1x1_k1x2x1_s1"};
    graph.fusions.back().also = {"rotary/1x2x3x4_t1x1x3x2", "concat/1x2_1x3_a1"};
    graph.layers[0].problems = {"conv/x", "copy/x", "add/x"};
    graph.layers[0].inner_moves = {1};
    graph.layers[0].phase = "backward";
    graph.layers[0].precision = "bf16";
    graph.layers[0].gradients = {16, 7};
    graph.layers[0].compulsory = Compulsory{.inputs = {.elements = 3}, .outputs = {.bytes = 8}};
    graph.compulsory = {{.elements = 3, .bytes = 8}, {.elements = 5, .halves = 6}, {.bytes = 7}};
    graph.transforms = {{.layer = 0, .of_input = true, .to_nhwc = "copy/2", .to_nchw = {}}};
    graph.recorded = {"relu/2x3/fp16/nhwc/cudnn/engine62.k2=5"};
    graph.precision = "bf16";
    graph.metadata = {{"phase", "decode"}, {"batch", "8"}};
    EXPECT_EQ(read_graph(folder.write("again.graph.json", graph_json(graph))), graph) << file;
  }
}

TEST(GraphJson, HasMetadataOnlyIfThereAreAny) {
  Graph graph{.model = "m", .layers = {{.name = "a", .cost = Cost::free}}};
  EXPECT_THAT(graph_json(graph), Not(HasSubstr("metadata")));
  graph.metadata = {{"phase", "decode"}};
  EXPECT_THAT(graph_json(graph), HasSubstr("\"metadata\": {\n  \"phase\": \"decode\"\n }"));
}

// A file that was not written by the generator may list a tensor that is read twice twice.
TEST(ReadGraph, InputsAreAscendingAndThereOnce) {
  const Folder folder;
  std::string text = good;
  text.replace(text.find("[0], \"cost\""), 3, "[0, 0]");
  const Graph graph = read_graph(folder.write("m.graph.json", text));
  EXPECT_THAT(graph.layers[1].inputs, ElementsAre(0));
}

TEST(ReadGraph, ALayerReadsThoseBeforeIt) {
  const Folder folder;
  std::string text = good;
  text.replace(text.find("\"inputs\": []"), 12, "\"inputs\": [1]");
  text.replace(text.find("\"inputs\": [0]"), 13, "\"inputs\": []");
  EXPECT_THAT(error_of([&] { read_graph(folder.write("m.graph.json", text)); }),
              HasSubstr("layer \"c\": it reads layer \"e\", which comes after it"));
}

TEST(ReadGraph, TakesTheSumOfOlderFilesForOneGradient) {
  const Folder folder;
  std::string text = good;
  text.replace(text.find("\"reason\""), 8, "\"gradient_elements\": 23, \"reason\"");
  const Graph graph = read_graph(folder.write("m.graph.json", text));
  EXPECT_THAT(graph.layers[0].gradients, ElementsAre(23));
  EXPECT_THAT(graph.layers[1].gradients, ElementsAre());
}

// "conv/x" belongs to a layer and to a fusion, and is listed at its first mention.
TEST(ProblemsOf, AreInTheOrderOfTheFileEachOnce) {
  Graph graph{.model = "m", .layers = {Layer{.problems = {"relu/x", "conv/x"}}}};
  graph.layers.push_back(Layer{.problems = {"add/x", "relu/x"}});
  graph.fusions = {{"p", {0}, "conv/x"}, {"p", {0}, "aconv/x"}};
  graph.transforms = {{.layer = 0, .to_nhwc = {}, .to_nchw = "copy/1"}};
  EXPECT_THAT(problems_of(graph), ElementsAre("relu/x", "conv/x", "add/x", "aconv/x", "copy/1"));
  EXPECT_EQ(problem_keys({graph}).size(), 5);
}

TEST(ProblemsOf, HoldEveryFusion) {
  Graph graph{.model = "m", .layers = {Layer{.problems = {"add/1"}}}};
  for (const char* key : {"gelu/1x3136", "gelu/1x784", "gelu/1x196", "gelu/1x49"}) {
    graph.fusions.push_back({"gelu", {0}, key, {"also_" + std::string(key)}});
  }
  EXPECT_EQ(problems_of(graph).size(), 9);
}

// The other calls of a layer of experts have floats, and so has the sum of their results.
TEST(StoredProblems, OfSeveralCallsAtFp8AreTheProductsByWeights) {
  const std::string experts = "grouped_gemm/g4_m1_n256_k256_nt";
  Layer layer{.problems = {"quantize/4x256_fp8", experts, "gemm/m1_n256_k2_nn_a2_b2", "unknown/1"}};
  layer.precision = "fp8";
  const Graph graph{.model = "m", .layers = {layer}};
  EXPECT_THAT(stored_problems_of(graph).at(Precision::fp8), ElementsAre(experts));
  EXPECT_EQ(float_problems_of(graph).size(), 3);
  // One call, and bytes, are all at the layer's.
  Layer attention{.problems = {"attention/1x64x2048x128_k8x2048x128_s0.088"}};
  attention.precision = "fp8";
  EXPECT_EQ(stored_precision(attention, attention.problems[0]), Precision::fp8);
  layer.precision = "int8";
  EXPECT_EQ(stored_precision(layer, layer.problems[0]), Precision::int8);
}

struct Bad {
  const char* what;
  const char* from;
  const char* to;
  const char* says;
};

class BadGraph : public testing::TestWithParam<Bad> {};

TEST_P(BadGraph, IsOneLineThatNamesTheFile) {
  const Folder folder;
  std::string text = good;
  const std::string from = GetParam().from;
  text.replace(text.find(from), from.size(), GetParam().to);
  const auto file = folder.write("bad.graph.json", text);
  EXPECT_THAT(
      error_of([&] { read_graph(file); }),
      AllOf(HasSubstr(file.string() + ": "), HasSubstr(GetParam().says), Not(HasSubstr("\n"))));
}

INSTANTIATE_TEST_SUITE_P(
    Files, BadGraph,
    testing::Values(Bad{"cut", "conv_bias\",", "", "cut short"},
                    Bad{"schema", "\"schema\": 1", "\"schema\": 7", "schema 7"},
                    Bad{"index", "[0], \"cost\"", "[5], \"cost\"", "no layer 5"},
                    Bad{"fusion", "\"layers\": [0]", "\"layers\": [9]", "no layer 9"},
                    Bad{"cycle", "\"inputs\": []", "\"inputs\": [1]", "cycle"},
                    Bad{"cost", "\"unsupported\"", "\"cheap\"", "cheap"},
                    Bad{"problems", "[\"conv/x\", \"add/x\"]", "[]", "no problem"},
                    Bad{"absent", "\"model\": \"m\",", "", "model"},
                    Bad{"metadata", "\"model\": \"m\",",
                        "\"model\": \"m\", \"metadata\": {\"batch\": 8},", "type must be string"},
                    Bad{"recorded", "\"model\": \"m\",",
                        "\"model\": \"m\", \"recorded\": [\"relu/1x8\"],", "recorded: "},
                    Bad{"type", "\"m\"", "3", "graph file"},
                    Bad{"no_layers", "\"layers\": [0]", "\"layers\": []",
                        "fusion conv_bias has no layers"},
                    Bad{"doubled", "\"layers\": [0]", "\"layers\": [0, 0]",
                        "fusion conv_bias has layer 0 twice"},
                    Bad{"unsorted", "\"layers\": [0]", "\"layers\": [1, 0]",
                        "fusion conv_bias layer 0 comes before"},
                    Bad{"unfused", "\"conv/x_bias\"", "\"\"", "fusion conv_bias has no problem"},
                    Bad{"batch", "\"batch\": 8", "\"batch\": 0", "batch 0"},
                    Bad{"flops", "2e9", "-2e9", "layer \"c\": FLOPs"},
                    Bad{"bytes", "\"bytes\": 100", "\"bytes\": 1e19", "layer \"c\": bytes"},
                    Bad{"shape", "[8, 4]", "[8, -4]", "layer \"c\": an output"},
                    Bad{"phase", "\"op\": \"Conv\",", "\"op\": \"Conv\", \"phase\": \"sideways\",",
                        "unknown phase \"sideways\""},
                    Bad{"side", "\"fusions\":",
                        "\"transforms\": [{\"layer\": 0, \"of\": \"top\"}],\"fusions\":",
                        "a transform of \"top\""},
                    Bad{"huge", "conv/x_bias", "relu/1152921504606846976x16", "too large"},
                    Bad{"moves", "\"flops\": 2e9", "\"inner_moves\": [2], \"flops\": 2e9",
                        "inner_moves names problem 2 of 2"},
                    Bad{"count", "\"flops\": 2e9", "\"count\": 9223372036854775807", "count 9223"}),
    [](const auto& info) { return std::string(info.param.what); });

TEST(WriteGraph, ProblemsThatRepeatAreWrittenOnce) {
  Graph graph{.model = "recorded"};
  graph.layers.push_back({.name = "many", .op = "matmul", .problems = {}});
  for (int turn = 0; turn < 1000; ++turn) {
    graph.layers[0].problems.insert(graph.layers[0].problems.end(), {"gemm/x", "copy/x"});
    graph.layers[0].inner_moves.push_back(2 * static_cast<std::size_t>(turn) + 1);
  }
  graph.layers.push_back({.name = "few", .op = "matmul", .problems = {"add/x", "add/x", "add/x"}});
  const std::string text = graph_json(graph);
  EXPECT_LT(text.size(), 1500);
  EXPECT_THAT(text, HasSubstr("\"count\": 1000"));
  EXPECT_THAT(text, HasSubstr("\"schema\": 2"));
  const Folder folder;
  const Graph read = read_graph(folder.write("r.graph.json", text));
  EXPECT_EQ(read.layers, graph.layers);

  // Older programs can still read files without such a layer.
  graph.layers.erase(graph.layers.begin());
  const std::string plain = graph_json(graph);
  EXPECT_THAT(plain, HasSubstr("\"schema\": 1"));
  EXPECT_THAT(plain, Not(HasSubstr("count")));
}

TEST(ReadGraph, ACountIsOne) {
  const Folder folder;
  for (const std::string count : {"0", "-3", "100000000"}) {
    std::string text = good;
    const std::string place = "\"problems\": [\"conv/x\", \"add/x\"]";
    text.replace(text.find(place), place.size(), place + ", \"count\": " + count);
    EXPECT_THAT(error_of([&] { read_graph(folder.write("m.graph.json", text)); }),
                HasSubstr("layer \"c\": count " + count));
  }
}

}  // namespace
}  // namespace benanza
