// The files that benanza-generate writes, and those that it does not touch.
#include "generator/emit/emit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/tests/folder.h"
#include "generator/command_line.h"
#include "generator/emit/problems.h"
#include "generator/emit/summary.h"
#include "generator/generate.h"
#include "generator/tests/onnx/model.h"

namespace benanza::emit {
namespace {

namespace fs = std::filesystem;
using onnx::Model;
using testing::ElementsAre;
using testing::HasSubstr;

/// conv with bias -> relu -> concat with itself -> an unknown operator.
LoweredGraph small(const std::string& name) {
  LoweredGraph graph = Model(13)
                           .input("x", {-1, 3, 4, 4})
                           .weights("w", {8, 3, 3, 3})
                           .weights("b", {8})
                           .node("Conv", {"x", "w", "b"}, {"conv"}, {{"pads", Dims{1, 1, 1, 1}}})
                           .node("Relu", {"conv"}, {"relu"})
                           .node("Identity", {"relu"}, {"same"})
                           .node("Concat", {"relu", "same"}, {"concat"}, {{"axis", 1}})
                           .node("Asinh", {"concat"}, {"erf"})
                           .output("erf")
                           .import({.batch = 2, .dims = {}});
  graph.model = name;
  return graph;
}

void write_files(const fs::path& folder, const std::vector<ImportedGraph>& imported,
                 const std::vector<Precision>& precisions, OldGraphs old = OldGraphs::keep) {
  write_graphs(folder, graphs_of(imported), precisions, old);
}

class Emit : public test::FolderTest {
 protected:
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
};

TEST_F(Emit, GoldenFiles) {
  write_files(folder_, {{small("small"), {}}}, {Precision::fp32, Precision::bf16});
  for (const char* name : {"problems.cpp", "small.graph.json", "tests.cmake"}) {
    EXPECT_EQ(read_file(folder_ / name), read_file(fs::path(TEST_DATA) / "golden" / name)) << name;
  }
}

TEST_F(Emit, EqualContentIsNotWrittenAgain) {
  write_files(folder_, {{small("small"), 2}}, {Precision::fp32});
  EXPECT_THAT(files(), ElementsAre("graphs.txt", "problems.cpp", "small_b2.flow.json",
                                   "small_b2.graph.json", "tests.cmake"));
  const fs::file_time_type long_ago{};
  for (const std::string& name : files()) fs::last_write_time(folder_ / name, long_ago);
  write_files(folder_, {{small("small"), 2}}, {Precision::fp32});
  for (const std::string& name : files()) {
    EXPECT_EQ(fs::last_write_time(folder_ / name), long_ago) << name;
  }
  write_files(folder_, {{small("small"), 2}}, {Precision::bf16});
  EXPECT_NE(fs::last_write_time(folder_ / "problems.cpp"), long_ago);
  EXPECT_EQ(fs::last_write_time(folder_ / "small_b2.graph.json"), long_ago);
  EXPECT_EQ(fs::last_write_time(folder_ / "small_b2.flow.json"), long_ago);
}

TEST_F(Emit, KeepsTheGraphsOfEarlierCalls) {
  write_files(folder_, {{small("old"), {}}}, {Precision::fp32});
  write_files(folder_, {{small("new"), {}}}, {Precision::fp32});
  EXPECT_THAT(files(), ElementsAre("graphs.txt", "new.flow.json", "new.graph.json", "old.flow.json",
                                   "old.graph.json", "problems.cpp", "tests.cmake"));
  EXPECT_EQ(read_file(folder_ / "graphs.txt"), "new.graph.json\n") << "those of this call";
}

TEST_F(Emit, RemovesWhatTheLastCallMadeAndNothingElse) {
  write_files(folder_, {{small("old $;\"one"), {}}, {small("kept"), {}}}, {Precision::fp32});
  write_file(folder_ / "mine.graph.json", "not ours");
  write_file(folder_ / "mine.flow.json", "not ours");
  EXPECT_TRUE(fs::exists(folder_ / "old $;\"one.graph.json"));
  EXPECT_TRUE(fs::exists(folder_ / "old $;\"one.flow.json"));
  write_files(folder_, {{small("kept"), {}}}, {Precision::fp32}, OldGraphs::remove);
  EXPECT_THAT(files(),
              ElementsAre("graphs.txt", "kept.flow.json", "kept.graph.json", "mine.flow.json",
                          "mine.graph.json", "problems.cpp", "tests.cmake"));
}

TEST_F(Emit, RemovesNothingOutsideItsFolder) {
  const fs::path outside = folder_.parent_path() / "outside.graph.json";
  write_file(outside, "not ours");
  fs::create_directories(folder_);
  write_file(folder_ / "tests.cmake", "set(BENANZA_GRAPHS \"../outside.graph.json\" \"cut off");
  write_files(folder_, {{small("a"), {}}}, {Precision::fp32}, OldGraphs::remove);
  EXPECT_TRUE(fs::exists(outside));
  fs::remove(outside);
}

TEST_F(Emit, TwoGraphsOfOneNameAreAnErrorAndNothingIsWritten) {
  EXPECT_THROW(write_files(folder_, {{small("a"), {}}, {small("a"), {}}}, {Precision::fp32}),
               Error);
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(Emit, AFolderThatCannotBeMadeIsNamed) {
  write_file(fs::path(testing::TempDir()) / "plain", "a file");
  const fs::path below = fs::path(testing::TempDir()) / "plain" / "out";
  try {
    write_files(below, {{small("a"), {}}}, {Precision::fp32});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(below.string()));
  }
}

std::vector<ProblemUse> problems_of_graphs(const std::vector<Graph>& graphs) {
  std::vector<const Graph*> all;
  for (const Graph& graph : graphs) all.push_back(&graph);
  return collect_problems(all);
}

TEST(Problems, MergeOverModelsAndNameAtMostTwoLayersOfEach) {
  Model model(13);
  model.input("x", {2, 3}).node("Relu", {"x"}, {"r0"});
  for (int index = 1; index < 5; ++index) {
    const std::string last = "r" + std::to_string(index - 1);
    model.node("Relu", {last}, {"r" + std::to_string(index)});
  }
  LoweredGraph many = model.output("r4").import();
  many.model = "many";
  LoweredGraph one =
      Model(13).input("x", {2, 3}).node("Relu", {"x"}, {"only\n\\"}).output("only\n\\").import();
  one.model = "one";
  const std::string text =
      problems_source(problems_of_graphs({make_graph(many), make_graph(one)}), {Precision::fp32});
  EXPECT_THAT(text,
              HasSubstr("    // many: r0, r1, ... (5); one: only?? (1)\n    \"relu/2x3\",\n"));
}

TEST(Problems, ALayerOfSeveralBatchesIsNamedOnce) {
  const auto problems = problems_of_graphs({make_graph(small("a")), make_graph(small("a"))});
  ASSERT_FALSE(problems.empty());
  for (const ProblemUse& problem : problems) {
    EXPECT_THAT(problem.users, testing::SizeIs(1));
    EXPECT_THAT(problem.users[0].names, testing::SizeIs(1)) << problem.key;
  }
}

// A suite that is built measures what a suite measures that is given the graph file.
TEST(Problems, OfBytesHaveTablesOfTheirOwn) {
  Graph graph{.model = "m"};
  const auto layer = [](const std::string& name, const std::string& problem,
                        const std::string& precision) {
    return Layer{.name = name, .op = "Relu", .problems = {problem}, .precision = precision};
  };
  graph.layers = {layer("a", "relu/8", ""), layer("b", "relu/8", "int8"),
                  layer("c", "relu/9", "int8"), layer("d", "relu/9", "fp8")};
  const std::string source = problems_source(problems_of_graphs({graph}), {Precision::fp32});
  EXPECT_THAT(source, HasSubstr("relu[] = {\n    // m: a, b (2)\n    \"relu/8\",\n};"));
  EXPECT_THAT(source, HasSubstr("relu_int8[] = {\n    // m: a, b (2)\n    \"relu/8\",\n"
                                "    // m: c, d (2)\n    \"relu/9\",\n};"));
  EXPECT_THAT(source, HasSubstr(".problems = {relu}, .precisions = {Precision::fp32}, "
                                ".stored_problems = {{Precision::int8, {relu_int8}}, "
                                "{Precision::fp8, {relu_fp8}}}}"));
}

TEST(Problems, AreThoseOfTheGraphFile) {
  Graph graph = make_graph(small("a"));
  graph.fusions.push_back({.pattern = "attention_step",
                           .layers = {0, 1},
                           .problem = "attention/1x1x4x6_k1x4x6_s1",
                           .also = {"attention_bwd/1x1x4x6_k1x4x6_s1"},
                           .whole = true});
  std::vector<std::string> keys;
  for (const ProblemUse& use : problems_of_graphs({graph})) keys.push_back(use.key);
  EXPECT_THAT(keys, testing::UnorderedElementsAreArray(problems_of(graph)));
  EXPECT_THAT(keys, testing::Contains("attention_bwd/1x1x4x6_k1x4x6_s1"));
}

TEST(Problems, OfTheSameLayersAreNeighboursUnderOneComment) {
  const auto relus = [](std::int64_t batch) {
    LoweredGraph graph = Model(13)
                             .input("x", {batch, 3})
                             .node("Relu", {"x"}, {"a"})
                             .node("Concat", {"a", "a"}, {"c"}, {{"axis", std::int64_t{1}}})
                             .node("Relu", {"c"}, {"b"})
                             .output("b")
                             .import();
    graph.model = "m";
    return graph;
  };
  const auto problems = problems_of_graphs({make_graph(relus(1)), make_graph(relus(8))});
  EXPECT_THAT(problems_source(problems, {Precision::fp32}),
              HasSubstr("    // m: a (1)\n    \"relu/1x3\",\n    \"relu/8x3\",\n"
                        "    // m: b (1)\n    \"relu/1x6\",\n    \"relu/8x6\",\n};"));
}

TEST(Problems, CommentNamesTheFirstModelsAndCountsTheRest) {
  ProblemUse use{"relu/8", {{"a", {"x"}}, {"b", {"x", "y", "z", "u"}}, {"c", {"x"}}}};
  use.of_floats = true;
  EXPECT_THAT(problems_source({use}, {Precision::fp32}),
              HasSubstr("    // a: x (1); b: x, y, ... (4); c: x (1)\n"));
  use.users.push_back({"d", {"x"}});
  EXPECT_THAT(problems_source({use}, {Precision::fp32}),
              HasSubstr("    // a: x (1); b: x, y, ... (4); 2 more models\n"));
}

TEST(Problems, NoneIsStillAProgram) {
  EXPECT_THAT(problems_source({}, {Precision::fp32}), HasSubstr("{.problems = {}, .precisions ="));
}

TEST(TestsCMake, Lists) {
  EXPECT_EQ(tests_cmake({.operators = {"conv", "relu"},
                         .precisions = {Precision::fp32},
                         .graphs = {"a$.graph.json"},
                         .labels = {{"conv", {"deepbench", "mine"}}}}),
            "# Generated by benanza-generate, do not edit.\n"
            "set(BENANZA_OPERATORS \"conv\" \"relu\")\n"
            "set(BENANZA_PRECISIONS \"fp32\")\n"
            "set(BENANZA_GRAPHS \"a\\$.graph.json\")\n"
            "set(\"BENANZA_LABELS_conv\" \"deepbench\" \"mine\")\n");
}

TEST(Summary, CountsByOperatorAndCost) {
  const std::string text = summary(small("small"));
  EXPECT_THAT(text, HasSubstr("small (batch 2, opset 13)"));
  EXPECT_THAT(
      text, HasSubstr("unsupported: Asinh: no library here has inverse hyperbolic functions (1)"));
  // 2 * 256 outputs * 27 products + 256 bias additions.
  EXPECT_THAT(text, testing::ContainsRegex("Conv +measured +1 +2 +0 +0\\.000 +0\\.000 "));
}

TEST(Summary, PutsAllThatIsFreeIntoOneLineUnlessAsked) {
  const LoweredGraph graph = Model(13)
                                 .input("x", {2, 3})
                                 .node("Shape", {"x"}, {"s"})
                                 .node("Reshape", {"x", "s"}, {"y"})
                                 .node("Identity", {"y"}, {"i"})
                                 .node("Relu", {"i"}, {"r"})
                                 .output("r")
                                 .import();
  const std::string text = summary(graph);
  EXPECT_THAT(text, testing::ContainsRegex("\n  3 operators +free +3 +- +- +- +- +-\n"));
  EXPECT_EQ(text.find("Reshape"), std::string::npos) << text;
  const std::string all = summary(graph, SummaryRows::all);
  EXPECT_THAT(all, testing::ContainsRegex("\n  Reshape +free +1 +- +- +- +- +-\n"));
  EXPECT_THAT(all, Not(HasSubstr("operators")));
}

TEST(Summary, CountsMultiplyAddsParametersAndRepeats) {
  LoweredGraph graph = Model(13)
                           .input("x", {4, 1000})
                           .weights("w", {1000, 1000})
                           .weights("b", {1000})
                           .node("MatMul", {"x", "w"}, {"p"})
                           .node("Add", {"p", "b"}, {"q"})
                           .node("MatMul", {"q", "w"}, {"r"})
                           .output("r")
                           .import();
  // 4 x 1000 x 1000 each; both products read the same weight, the addition another.
  EXPECT_EQ(macs(graph), 8e6);
  EXPECT_EQ(macs(graph.layers[1]), 0);
  EXPECT_EQ(graph.parameters, 1'001'000);
  const std::string text = summary(graph);
  EXPECT_THAT(text, testing::ContainsRegex("MatMul +measured +2 +1 +1 +0\\.008 +0\\.016 "));
  EXPECT_THAT(text, HasSubstr("1,001,000 parameters (4.004 MB as fp32)"));
}

TEST(Summary, SaysHowManyBytesAreStored) {
  LoweredGraph graph;
  graph.parameters = 3'000'000;
  graph.stored_parameters = {.elements = 1'000'000, .bytes = 1'000'000};
  EXPECT_THAT(summary(graph),
              HasSubstr("3,000,000 parameters (1.000 MB as stored, and 4.000 MB as fp32)"));
}

TEST(Summary, SaysWhatWasAssumed) {
  const LoweredGraph graph = Model(17)
                                 .input("x", {6})
                                 .node("NonZero", {"x"}, {"nz"})
                                 .node("Relu", {"x"}, {"r"})
                                 .node("Shape", {"nz"}, {"s"})
                                 .output("s")
                                 .output("r")
                                 .import();
  EXPECT_THAT(summary(graph),
              HasSubstr("  assumed: NonZero: 1 dimension as large as can be, nz:1=6\n"
                        "  assumed: 2 layers may rest on them (1 free, 1 unsupported)\n"));
  const std::string json = graph_json(make_graph(graph));
  EXPECT_THAT(json, HasSubstr("\"assumed\": \"nz:1=6\""));
  EXPECT_EQ(json.find("assumed", json.find("\"name\": \"r\"")),
            json.find("assumed", json.find("\"name\": \"s\"")))
      << "not of a layer that reads x alone";
}

TEST(GraphFile, HasWhatTheModelSaysForBenanza) {
  Model model(17);
  model.input("x", {6}).node("Relu", {"x"}, {"y"}).output("y");
  EXPECT_THAT(graph_json(make_graph(model.import())), testing::Not(HasSubstr("metadata")));
  for (const auto& [key, value] : {std::pair{"benanza.phase", "decode"},
                                   {"benanza.batch", "8"},
                                   {"benanza.", "no name"},
                                   {"author", "somebody"}}) {
    auto& entry = *model.proto().add_metadata_props();
    entry.set_key(key);
    entry.set_value(value);
  }
  EXPECT_THAT(make_graph(model.import()).metadata,
              testing::ElementsAre(testing::Pair("batch", "8"), testing::Pair("phase", "decode")));
  // They would not be true at another batch size.
  EXPECT_EQ(model.import({.batch = 6, .dims = {}, .values = {}}).batch, 6);
  EXPECT_THAT(test::error_of([&] { model.import({.batch = 4, .dims = {}, .values = {}}); }),
              HasSubstr("--batch 4: its metadata say that it was written for batch 8"));
}

TEST(Sharing, CountsProblemsOnceOverAllGraphs) {
  const auto relus = [](const std::string& name, std::int64_t extent) {
    LoweredGraph graph = Model(13)
                             .input("x", {extent})
                             .node("ConstantOfShape", {"s"}, {"zero"})
                             .integers("s", {extent})
                             .node("Relu", {"x"}, {"y"})
                             .node("Relu", {"y"}, {"z"})
                             .node("Add", {"z", "zero"}, {"sum"})
                             .output("sum")
                             .import();
    graph.model = name;
    return graph;
  };
  const std::string text = sharing({relus("one", 4), relus("two", 4), relus("three", 5)});
  // Three layers each, not counting constants; relu and add of 4, relu and add of 5.
  EXPECT_THAT(text, HasSubstr("3 graphs: 9 layers, 9 calls, 4 unique problems\n"));
  EXPECT_THAT(text, testing::ContainsRegex("relu +6 +2 +4\n"));
  EXPECT_THAT(text, testing::ContainsRegex("two \\(batch 4\\) +3 +2 +0\n"));
  EXPECT_THAT(text, testing::ContainsRegex("three \\(batch 5\\) +3 +2 +2\n"));
}

TEST(Command, DimsInputsAndPrecisions) {
  EXPECT_EQ(parse_dim("N=8"), (std::pair<std::string, std::int64_t>("N", 8)));
  EXPECT_EQ(parse_dim("past=0").second, 0) << "an empty past";
  for (const char* text : {"N", "=8", "N=", "N=x", "N=-1", "N=8x"}) {
    EXPECT_THROW(parse_dim(text), Error) << text;
  }
  EXPECT_EQ(parse_input("a=b=1,2"), (std::pair<std::string, std::string>("a=b", "1,2")));
  for (const char* text : {"N", "=8", "N="}) EXPECT_THROW(parse_input(text), Error) << text;
  EXPECT_THAT(parse_precisions({"fp32", "bf16", "fp32"}),
              ElementsAre(Precision::fp32, Precision::bf16));
  EXPECT_THROW(parse_precisions({"fp31"}), Error);
}

}  // namespace
}  // namespace benanza::emit
