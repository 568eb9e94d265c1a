// Which fusions of a graph one operator of the framework does.
#include "analysis/profile_match/mapping.h"

#include <gmock/gmock.h>

#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using test::layer;
using testing::ElementsAre;

/// transpose -> product -> softmax, and a fusion of all three.
struct FusedThree {
  Graph graph{.model = "m",
              .batch = 1,
              .layers = {layer("t", {}, Cost::movement), layer("a", {0}), layer("s", {1})},
              .fusions = {{.pattern = "attention", .layers = {0, 1, 2}, .problem = "p"}}};

  std::vector<bool> fused(std::vector<std::optional<std::size_t>> nodes) const {
    Mapping mapping;
    mapping.node_of_layer = std::move(nodes);
    return fused_by_framework(graph, mapping);
  }
};

TEST(FusedByFramework, IsWhatOneOperatorDoes) {
  const FusedThree given;
  EXPECT_THAT(given.fused({4, 4, 4}), ElementsAre(true));
  EXPECT_THAT(given.fused({4, 4, 5}), ElementsAre(false));
  EXPECT_THAT(given.fused({3, 4, 4}), ElementsAre(false));  // its transpose ran by itself
}

TEST(FusedByFramework, NeedsNoOperatorForAView) {
  EXPECT_THAT(FusedThree().fused({std::nullopt, 4, 4}), ElementsAre(true));
  EXPECT_THAT(FusedThree().fused({std::nullopt, std::nullopt, std::nullopt}), ElementsAre(false));
}

TEST(FusedByFramework, NeedsAnOperatorForWork) {
  EXPECT_THAT(FusedThree().fused({4, 4, std::nullopt}), ElementsAre(false));
  FusedThree free;
  free.graph.layers[2].cost = Cost::free;
  free.graph.layers[2].problems.clear();
  EXPECT_THAT(free.fused({4, 4, std::nullopt}), ElementsAre(true));
}

TEST(FusedByFramework, IsNotAFusionOfOneLayer) {
  FusedThree one;
  one.graph.fusions[0].layers = {1};
  EXPECT_THAT(one.fused({4, 4, 4}), ElementsAre(false));
}

}  // namespace
}  // namespace benanza::analysis
