#include "analysis/model/algorithms.h"

#include <gmock/gmock.h>

#include "analysis/model/layer_time.h"
#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using test::measured;
using test::refused;
using test::us;
using testing::DoubleNear;
using testing::Optional;

const std::string conv = "conv/1x3x8x8_k4x3x3_p0.0.0.0_s1x1_d1x1_g1";
const std::string gemm = "gemm/4x8x16";

/// One call with its rank in the library's heuristic and its workspace.
Measurement ranked(const std::string& key, const std::string& variant, double microseconds,
                   int rank, std::int64_t workspace) {
  Measurement measurement = measured(key + '/' + variant, {microseconds * us});
  measurement.heuristic_rank = rank;
  measurement.workspace_bytes = workspace;
  return measurement;
}

/// A convolution with two layouts, and a product without ranks:
///   nchw: a (rank 1) 10 us, b (rank 2) 4 us with 1 MB of workspace, c (rank 3) 7 us
///   nhwc: d (rank 1) 9 us, e (rank 2) 6 us
struct AlgorithmsCase {
  Graph graph;
  MeasurementSet set;

  AlgorithmsCase() {
    Layer first = test::layer("conv", {});
    first.problems = {conv, "add/bias"};
    Layer second = test::layer("fc", {0});
    second.problems = {gemm};
    graph.layers = {first, second, test::layer("relu", {1})};
    constexpr std::int64_t large = std::int64_t{1} << 20;
    set.add(ranked(conv, "fp32/nchw/cudnn/a", 10, 1, 0));
    set.add(ranked(conv, "fp32/nchw/cudnn/b", 4, 2, large));
    set.add(ranked(conv, "fp32/nchw/cudnn/c", 7, 3, 0));
    set.add(ranked(conv, "fp32/nhwc/cudnn/d", 9, 1, 0));
    set.add(ranked(conv, "fp32/nhwc/cudnn/e", 6, 2, 64));
    set.add(measured(gemm + "/fp32/plain/cublas/default", {2 * us}));
  }
};

TEST(Algorithms, TheHeuristicsLossIsAgainstTheFastest) {
  const AlgorithmsCase given;
  const auto rows = algorithm_rows(given.graph, given.set, {});
  ASSERT_EQ(rows.size(), 2);  // the bias and the activation are not products
  EXPECT_EQ(rows[0].best->variant.algorithm, "b");
  // First choices: a, 10 us, in nchw; d, 9 us, in nhwc. The faster one counts.
  EXPECT_EQ(rows[0].heuristic->variant.algorithm, "d");
  EXPECT_THAT(rows[0].heuristic_loss(), Optional(DoubleNear(5 * us, 1e-12)));
}

TEST(Algorithms, InOneLayoutTheHeuristicIsThatLayouts) {
  const AlgorithmsCase given;
  const auto rows = algorithm_rows(given.graph, given.set, {.layout = Layout::nchw});
  EXPECT_EQ(rows[0].heuristic->variant.algorithm, "a");
  EXPECT_THAT(rows[0].heuristic_loss(), Optional(DoubleNear(6 * us, 1e-12)));
}

TEST(Algorithms, WithoutRanksTheHeuristicIsUnknown) {
  const AlgorithmsCase given;
  const auto rows = algorithm_rows(given.graph, given.set, {});
  EXPECT_EQ(rows[1].heuristic, nullptr);
  EXPECT_EQ(rows[1].heuristic_loss(), std::nullopt);
  EXPECT_EQ(rows[1].best->variant.algorithm, "default");
}

TEST(Algorithms, ALimitOnWorkspaceTakesTheBestThatFits) {
  const AlgorithmsCase given;
  const auto rows = algorithm_rows(given.graph, given.set, {.max_workspace_bytes = 64});
  EXPECT_EQ(rows[0].best->variant.algorithm, "e");
  EXPECT_EQ(rows[0].unlimited->variant.algorithm, "b");
  EXPECT_THAT(rows[0].limit_loss(), Optional(DoubleNear(2 * us, 1e-12)));
  const auto none = algorithm_rows(given.graph, given.set, {.max_workspace_bytes = 0});
  EXPECT_EQ(none[0].best->variant.algorithm, "c");
  EXPECT_THAT(none[0].limit_loss(), Optional(DoubleNear(3 * us, 1e-12)));
}

TEST(Algorithms, TheHeuristicRespectsTheLimit) {
  AlgorithmsCase given;
  given.set.add(ranked(conv, "fp32/nhwc/cudnn/big", 1, 0, 1000));
  const auto rows = algorithm_rows(given.graph, given.set, {.max_workspace_bytes = 64});
  EXPECT_EQ(rows[0].heuristic->variant.algorithm, "d");
}

TEST(Algorithms, AChoiceThatFailedGoesToTheNext) {
  AlgorithmsCase given;
  given.set.add(refused(conv + "/fp32/nchw/cudnn/z", Status::failed, "?"));
  EXPECT_EQ(algorithm_rows(given.graph, given.set, {})[0].best->variant.algorithm, "b");
}

TEST(Algorithms, TotalsSumWhatIsKnown) {
  AlgorithmsCase given;
  Layer lost = test::layer("lost", {2});
  lost.problems = {"conv/none"};
  given.graph.layers.push_back(lost);
  const auto rows = algorithm_rows(given.graph, given.set, {.max_workspace_bytes = 64});
  const AlgorithmTotals sum = totals(rows);
  EXPECT_EQ(sum.products, 3);
  EXPECT_EQ(sum.unmeasured, 1);
  EXPECT_EQ(sum.unranked, 1);
  EXPECT_EQ(sum.heuristic_misses, 1);
  EXPECT_NEAR(sum.best_seconds, 8 * us, 1e-12);            // e and the product
  EXPECT_NEAR(sum.heuristic_loss_seconds, 3 * us, 1e-12);  // d - e
  EXPECT_NEAR(sum.limit_loss_seconds, 2 * us, 1e-12);      // e - b
  EXPECT_EQ(rows[2].reason, "not measured");
}

TEST(Algorithms, ALayersTimeFollowsThePicker) {
  AlgorithmsCase given;
  given.set.add(measured("add/bias/fp32/nchw/cudnn/op", {1 * us}));
  const auto best = layer_times(given.graph, given.set, {});
  EXPECT_THAT(best[0].seconds, Optional(DoubleNear(5 * us, 1e-12)));
  const auto picked = layer_times(given.graph, given.set, {.policy = AlgorithmPolicy::heuristic});
  EXPECT_THAT(picked[0].seconds, Optional(DoubleNear(10 * us, 1e-12)));
}

TEST(Algorithms, NothingThatFitsIsNoMissingMeasurement) {
  const AlgorithmsCase given;
  MeasurementSet set;
  set.add(ranked(conv, "fp32/nchw/cudnn/b", 4, 1, 100));
  const auto rows = algorithm_rows(given.graph, set, {.max_workspace_bytes = 64});
  EXPECT_EQ(rows[0].best, nullptr);
  EXPECT_NE(rows[0].unlimited, nullptr);
  EXPECT_THAT(rows[0].reason, testing::HasSubstr("workspace"));
}

}  // namespace
}  // namespace benanza::analysis
