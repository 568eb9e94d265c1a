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
  EXPECT_THAT(graph.layers[0].outputs, ElementsAre("c_out"));
  EXPECT_EQ(graph.layers[0].flops, 2e9);
  EXPECT_EQ(graph.layers[1].cost, Cost::unsupported);
  EXPECT_EQ(graph.layers[1].flops, std::nullopt);
  EXPECT_EQ(graph.layers[1].bytes, 64);
  EXPECT_EQ(graph.layers[1].reason, "no lowering");
  EXPECT_EQ(graph.layers[0].assumed, "");
  EXPECT_EQ(graph.layers[1].assumed, "nz:1=20");
  EXPECT_THAT(graph.layers[1].inputs, ElementsAre(0));
  ASSERT_EQ(graph.fusions.size(), 1);
  EXPECT_EQ(graph.fusions[0].problem, "conv/x_bias");
}

TEST(ReadGraph, ReadsWhatTheGeneratorWrote) {
  const Graph graph = read_graph(BENANZA_TEST_DATA "/torchvision_alexnet.graph.json");
  EXPECT_EQ(graph.model, "torchvision_alexnet");
  EXPECT_EQ(graph.batch, 1);
  EXPECT_EQ(graph.fusions.size(), 8);  // five convolutions, three products, all with a bias
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
                    Bad{"type", "\"m\"", "3", "graph file"}),
    [](const auto& info) { return std::string(info.param.what); });

}  // namespace
}  // namespace benanza
