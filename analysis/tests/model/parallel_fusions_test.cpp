#include <gmock/gmock.h>

#include "analysis/model/fusion.h"
#include "analysis/tests/fusion_graphs.h"

namespace benanza::analysis {
namespace {

using test::add;
using test::diamond;
using test::diamond_alone;
using test::layer;
using test::ms;
using test::report_of;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(ParallelFusions, AreTheCoversWhereTheyShortenThePath) {
  // The cover fuses right with the sum, after left: 1 + 10 + 3. With left and the sum fused, after
  // right, it would be 1 + 6 + 10.5; without fusion 15.
  MeasurementSet set = diamond_alone();
  add(set, "relu/left_fused", 10.5 * ms);  // saves 3.5
  add(set, "relu/right_fused", 3 * ms);    // saves 7
  const Graph graph = diamond();
  const FusionReport report = report_of(graph, set);
  EXPECT_DOUBLE_EQ(report.fused.parallel.seconds, 14 * ms);
  EXPECT_THAT(report.in_parallel, ElementsAre(1));
  EXPECT_FALSE(report.has_other_fusions_in_parallel());
}

// Each of two towers: a (10 ms) and l (15 ms) meet in add (5 ms); a and add can be fused, 11 ms.
// That makes a tower 15 + 11 long instead of 15 + 5, and giving it up in only one tower gains
// nothing.
TEST(ParallelFusions, TiesAreGivenUpTogether) {
  Graph graph{.model = "towers"};
  MeasurementSet set;
  for (const std::string tower : {"1", "2"}) {
    const std::size_t first = graph.layers.size();
    graph.layers.push_back(layer("a" + tower, {}));
    graph.layers.push_back(layer("l" + tower, {}));
    graph.layers.push_back(layer("add" + tower, {first, first + 1}));
    graph.fusions.push_back(
        {.pattern = "conv_add", .layers = {first, first + 2}, .problem = "relu/fused" + tower});
    add(set, "relu/a" + tower, 10 * ms);
    add(set, "relu/l" + tower, 15 * ms);
    add(set, "relu/add" + tower, 5 * ms);
    add(set, "relu/fused" + tower, 11 * ms);
  }
  graph.layers.push_back(layer("join", {2, 5}));
  add(set, "relu/join", 1 * ms);
  const FusionReport report = report_of(graph, set);
  EXPECT_DOUBLE_EQ(report.unfused.parallel.seconds, 21 * ms);
  EXPECT_DOUBLE_EQ(report.fused.parallel.seconds, 21 * ms);
  EXPECT_THAT(report.in_parallel, IsEmpty());
  // The sequential bound keeps them.
  EXPECT_DOUBLE_EQ(report.fused.sequential.seconds, 53 * ms);
}

TEST(ParallelFusions, AShorterFusionMayTakeThePlaceOfOneThatWaits) {
  // The diamond, whose sum and relu can also be fused with each other.
  Graph graph = diamond();
  graph.fusions.push_back({.pattern = "add_relu", .layers = {3, 4}, .problem = "relu/sum_relu"});
  MeasurementSet set = diamond_alone();
  add(set, "relu/right_fused", 6.5 * ms);  // saves 3.5: the cover
  add(set, "relu/sum_relu", 3.25 * ms);    // saves 0.75
  const FusionReport report = report_of(graph, set);
  EXPECT_DOUBLE_EQ(report.fused.sequential.seconds, 17.5 * ms);  // 1 + 10 + 6.5
  // The cover: 1 + 10 + 6.5; without it 15; with only sum and relu fused 1 + 10 + 3.25.
  EXPECT_DOUBLE_EQ(report.fused.parallel.seconds, 14.25 * ms);
  EXPECT_THAT(report.in_parallel, ElementsAre(2));
}

TEST(ParallelFusions, OneAfterTheOtherIsGivenUp) {
  // Two diamonds in a row, each 15 ms alone and 17.5 ms with its cover; the second one lacks the
  // first layer (1 ms).
  Graph graph = diamond();
  MeasurementSet set = diamond_alone();
  add(set, "relu/right_fused", 6.5 * ms);
  for (const Layer& first : diamond().layers) {
    if (first.inputs.empty()) continue;
    Layer second = first;
    for (std::size_t& input : second.inputs) input += 4;
    graph.layers.push_back(std::move(second));
  }
  graph.fusions.push_back(
      {.pattern = "conv_add_relu", .layers = {6, 7, 8}, .problem = "relu/right_fused"});
  const FusionReport report = report_of(graph, set);
  EXPECT_THAT(report.cover.pieces, ElementsAre(1, 2));
  EXPECT_DOUBLE_EQ(report.unfused.parallel.seconds, 29 * ms);
  EXPECT_DOUBLE_EQ(report.fused.parallel.seconds, 29 * ms);
  EXPECT_THAT(report.in_parallel, IsEmpty());
}

}  // namespace
}  // namespace benanza::analysis
