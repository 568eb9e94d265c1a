#include "analysis/model/collective_curves.h"

#include <gmock/gmock.h>

#include <cmath>

#include "analysis/model/bounds.h"
#include "analysis/questions/serve/steps.h"
#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using benanza::test::five;
using benanza::test::measured;
using testing::HasSubstr;

constexpr double microsecond = 1e-6;

Layer reducing(std::vector<std::string> problems) {
  return {.name = "sum",
          .op = "com.microsoft.AllReduce",
          .cost = Cost::measured,
          .problems = std::move(problems)};
}

/// All-reduces of two ranks: 8 KiB in 10 us and 32 KiB in 20.
MeasurementSet of_two_ranks() {
  MeasurementSet set;
  Measurement small =
      measured("all_reduce/4096_r2/bf16/plain/nccl/default", five(10 * microsecond));
  small.joules = 1;
  set.add(std::move(small));
  set.add(measured("all_reduce/16384_r2/bf16/plain/nccl/default", five(20 * microsecond)));
  return set;
}

/// `set` must outlive the times.
std::vector<LayerTime> estimated(const Graph& graph, const MeasurementSet& set) {
  MeasurementFilter filter;
  filter.precision = Precision::bf16;
  std::vector<LayerTime> times = layer_times(graph, set, filter);
  if (lacks_collectives(graph, times)) {
    estimate_collectives(graph, collective_curves(set, Precision::bf16, ""), Precision::bf16,
                         times);
  }
  return times;
}

TEST(EstimatedCollectives, LieBetweenTheMeasuredSizes) {
  Graph graph{.model = "m"};
  graph.layers = {reducing({"all_reduce/4096_r2"}), reducing({"all_reduce/8192_r2"}),
                  reducing({"all_reduce/8192_r2", "all_reduce/4096_r2"})};
  const MeasurementSet set = of_two_ranks();
  const std::vector<LayerTime> times = estimated(graph, set);
  EXPECT_NEAR(times[0].seconds.value(), 10 * microsecond, 1e-12);
  EXPECT_EQ(times[0].note, "") << "measured";
  // log-log: halfway between 10 and 20 us.
  const double between = std::sqrt(10.0 * 20) * microsecond;
  EXPECT_NEAR(times[1].seconds.value(), between, 1e-9);
  EXPECT_EQ(times[1].status, LayerStatus::measured);
  EXPECT_THAT(times[1].note, HasSubstr("nccl"));
  EXPECT_TRUE(times[1].gaps.empty());
  EXPECT_NEAR(times[2].seconds.value(), between + 10 * microsecond, 1e-9);
  EXPECT_EQ(kinds_of(graph, times)[1], LayerKind::communication);
}

TEST(EstimatedCollectives, TakeAnUnknownEnergy) {
  Graph graph{.model = "m"};
  const MeasurementSet set = of_two_ranks();
  graph.layers = {reducing({"all_reduce/4096_r2"})};
  EXPECT_EQ(energy_of(estimated(graph, set), Movement::include).complete_joules(), 1);
  graph.layers.push_back(reducing({"all_reduce/8192_r2"}));
  EXPECT_FALSE(energy_of(estimated(graph, set), Movement::include).complete_joules());
}

TEST(EstimatedCollectives, AreNoneOutsideOfThem) {
  Graph graph{.model = "m"};
  graph.layers = {reducing({"all_reduce/1024_r2"}), reducing({"all_reduce/65536_r2"}),
                  reducing({"all_reduce/8192_r4"}), reducing({"all_gather/8192_r2"}),
                  reducing({"all_reduce/8192_r2", "relu/8"})};
  const MeasurementSet set = of_two_ranks();
  for (const LayerTime& time : estimated(graph, set)) {
    EXPECT_EQ(time.status, LayerStatus::missing);
    EXPECT_FALSE(time.gaps.empty());
  }
}

}  // namespace
}  // namespace benanza::analysis
