#include "analysis/questions/tensor_cores/profit.h"

#include <gmock/gmock.h>

#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using test::layer;
using test::measured;
using test::refused;
using test::us;
using testing::DoubleNear;
using testing::Optional;

Measurement call(const std::string& name, double microseconds, std::optional<bool> tensor_cores) {
  Measurement measurement = measured(name, {microseconds * us});
  measurement.tensor_cores = tensor_cores;
  return measurement;
}

/// A chain: a gains 6 us, b is slower at fp16, c is not supported at fp16, d does not state its use
/// of Tensor Cores.
struct TensorCoresCase {
  Graph graph{.layers = {layer("a", {}), layer("b", {0}), layer("c", {1}), layer("d", {2})}};
  MeasurementSet set;

  TensorCoresCase() {
    set.add(call("relu/a/fp32/nchw/cudnn/x", 10, false));
    set.add(call("relu/a/fp16/nchw/cudnn/x", 4, true));
    set.add(call("relu/a/fp16/nchw/cudnn/slow", 7, false));
    set.add(call("relu/b/fp32/nchw/cudnn/x", 2, false));
    set.add(call("relu/b/fp16/nchw/cudnn/x", 3, false));
    set.add(call("relu/c/fp32/nchw/cudnn/x", 5, false));
    set.add(refused("relu/c/fp16/nchw/cudnn/x", Status::unsupported, "no"));
    set.add(call("relu/d/fp32/nchw/cudnn/x", 8, {}));
    set.add(call("relu/d/fp16/nchw/cudnn/x", 1, {}));
  }

  TensorCoreProfit profit() const {
    return tensor_core_profit(graph, set, {.precision = Precision::fp16}, Precision::fp32,
                              Movement::exclude);
  }
};

TEST(TensorCores, ProfitIsTheTimeWithoutMinusTheTimeWith) {
  const TensorCoreProfit profit = TensorCoresCase().profit();
  EXPECT_THAT(profit.rows[0].profit_seconds(), Optional(DoubleNear(6 * us, 1e-12)));
  EXPECT_THAT(profit.rows[1].profit_seconds(), Optional(DoubleNear(-1 * us, 1e-12)));
  EXPECT_THAT(profit.rows[2].profit_seconds(), Optional(DoubleNear(0, 1e-12)));
  EXPECT_THAT(profit.rows[3].profit_seconds(), Optional(DoubleNear(7 * us, 1e-12)));
  EXPECT_NEAR(profit.without_bounds.sequential.seconds, 25 * us, 1e-12);
  EXPECT_NEAR(profit.with_bounds.sequential.seconds, 13 * us, 1e-12);
}

// e has a time only at fp16: if it counted on one side, Tensor Cores would look like a loss.
TEST(TensorCores, ALayerThatOnlyOnePrecisionHasIsInNeitherBound) {
  TensorCoresCase given;
  given.graph.layers.push_back(layer("e", {3}));
  given.set.add(refused("relu/e/fp32/nchw/cudnn/x", Status::unsupported, "no"));
  given.set.add(call("relu/e/fp16/nchw/cudnn/x", 50, true));
  const TensorCoreProfit profit = given.profit();
  EXPECT_THAT(profit.left_out, testing::ElementsAre(4));
  EXPECT_NEAR(profit.without_bounds.sequential.seconds, 25 * us, 1e-12);
  EXPECT_NEAR(profit.with_bounds.sequential.seconds, 13 * us, 1e-12);
}

TEST(TensorCores, TheirOwnPartIsAgainstCallsOfEqualPrecision) {
  const TensorCoreProfit profit = TensorCoresCase().profit();
  EXPECT_THAT(profit.rows[0].own_profit_seconds(), Optional(DoubleNear(3 * us, 1e-12)));
  EXPECT_EQ(profit.rows[1].own_profit_seconds(), std::nullopt);  // its fastest call uses none
  EXPECT_EQ(profit.rows[3].own_profit_seconds(), std::nullopt);  // unknown
}

TEST(TensorCores, UseIsWhatTheFastestCallDoes) {
  const TensorCoreProfit profit = TensorCoresCase().profit();
  EXPECT_EQ(profit.rows[0].used, std::optional(true));
  EXPECT_EQ(profit.rows[1].used, std::optional(false));
  EXPECT_EQ(profit.rows[3].used, std::nullopt);
  EXPECT_FALSE(profit.rows[0].fallback);
  EXPECT_TRUE(profit.rows[2].fallback);
}

TEST(TensorCores, OneCallOfSeveralIsEnough) {
  TensorCoresCase given;
  given.graph.layers[0].problems = {"relu/a", "relu/b"};
  EXPECT_EQ(given.profit().rows[0].used, std::optional(true));
}

TEST(TensorCores, WithoutAMeasurementThereIsNoProfit) {
  TensorCoresCase given;
  given.graph.layers[0].problems = {"relu/none"};
  const TensorCoreProfit profit = given.profit();
  EXPECT_EQ(profit.rows[0].profit_seconds(), std::nullopt);
  EXPECT_EQ(profit.with_times[0].gaps.size(), 1);
}

}  // namespace
}  // namespace benanza::analysis
