#include "analysis/questions/bound/report.h"

#include <gmock/gmock.h>

#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using test::us;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// Layers a to d. The plan does a and b in one call, the framework b and c.
struct ComparedParts : testing::Test {
  Graph graph;
  PlanRun run;
  Comparison comparison;

  ComparedParts() {
    for (const char* const name : {"a", "b", "c", "d"}) graph.layers.push_back({.name = name});
    run.calls = {
        {.call = "x", .seconds = 5 * us, .conversion_seconds = 1 * us, .layers = {"a", "b"}},
        {.call = "y", .seconds = 2 * us, .layers = {"c"}},
        {.call = "z", .seconds = 3 * us, .layers = {"d"}}};
    auto profile = std::make_shared<Profile>();
    for (const double seconds : {1 * us, 2 * us, 4 * us, 9 * us}) {
      profile->nodes.push_back({.seconds = seconds});
    }
    comparison.profile = profile;
    comparison.mapping.layers_of_node = {{0}, {1, 2}, {3}, {}};
    comparison.losses.factor = 0.5;
  }
};

TEST_F(ComparedParts, JoinWhatEitherSideDoesTogether) {
  const std::vector<ComparedPart> parts = compared_parts(graph, run, comparison);
  ASSERT_THAT(parts, SizeIs(2));
  EXPECT_THAT(parts[0].layers, ElementsAre(0, 1, 2));
  EXPECT_THAT(parts[0].calls, ElementsAre("x", "y"));
  EXPECT_NEAR(parts[0].plan_seconds, 8 * us, 1e-12);
  EXPECT_NEAR(parts[0].framework_seconds, 1.5 * us, 1e-12);
  EXPECT_THAT(parts[1].layers, ElementsAre(3));
  EXPECT_NEAR(parts[1].lost_seconds(), 1 * us, 1e-12);
}

TEST_F(ComparedParts, LeaveOutWhatOnlyOneSideDoes) {
  comparison.mapping.layers_of_node = {{0}, {1}, {}, {}};
  ASSERT_THAT(compared_parts(graph, run, comparison), SizeIs(1)) << "c and d are folded away";
  run.calls.clear();
  EXPECT_THAT(compared_parts(graph, run, comparison), IsEmpty());
}

}  // namespace
}  // namespace benanza::analysis
