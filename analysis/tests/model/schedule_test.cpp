#include "analysis/model/critical_path.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "analysis/model/layer_time.h"
#include "analysis/questions/report/trace.h"
#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using test::layer;
using test::ms;

/// a (1) -> b (5) parallel to c (2) -> d (1).
const std::vector<Layer> four_layers{layer("a", {}), layer("b", {0}), layer("c", {0}),
                                     layer("d", {1, 2})};

TEST(Schedule, ADiamondsBranchesRunAtOnce) {
  const std::vector<double> seconds{1, 5, 2, 1};
  const auto slots = parallel_schedule(four_layers, seconds);
  ASSERT_EQ(slots.size(), 4);
  EXPECT_EQ(slots[1].layer, 1);
  EXPECT_EQ(slots[1].start, 1);
  EXPECT_EQ(slots[1].finish, 6);
  EXPECT_EQ(slots[1].lane, 0);
  EXPECT_EQ(slots[2].layer, 2);
  EXPECT_EQ(slots[2].start, 1);
  EXPECT_EQ(slots[2].finish, 3);
  EXPECT_EQ(slots[2].lane, 1);
  EXPECT_EQ(slots[3].start, 6);
  EXPECT_EQ(slots[3].finish, 7);  // the parallel bound
  EXPECT_EQ(slots[3].lane, 0);
}

TEST(Schedule, InSequenceNothingOverlaps) {
  const std::vector<double> seconds{1, 5, 0, 1};
  const auto slots = sequential_schedule(four_layers, seconds);
  ASSERT_EQ(slots.size(), 3);  // layers that take no time are not shown
  EXPECT_EQ(slots[2].layer, 3);
  EXPECT_EQ(slots[2].start, 6);
  EXPECT_EQ(slots[2].finish, 7);
}

TEST(Trace, ShowsBoundsAndFrameworkBesideEachOther) {
  const Graph graph{.model = "diamond", .layers = four_layers};
  const MeasurementSet set =
      test::steady({{"a", 1 * ms}, {"b", 5 * ms}, {"c", 2 * ms}, {"d", 1 * ms}});
  const Profile profile{.framework = "abacus",
                        .nodes = {{.name = "first", .op = "Relu", .seconds = 3 * ms},
                                  {.name = "second", .op = "Relu", .seconds = 4 * ms}}};
  const auto root = nlohmann::json::parse(
      trace_json(graph, layer_times(graph, set, {}), Movement::exclude, &profile));
  std::map<std::string, int> process;
  std::map<int, double> end;
  for (const auto& event : root["traceEvents"]) {
    const int pid = event["pid"];
    if (event["ph"] == "M") {
      process[event["args"]["name"]] = pid;
    } else {
      end[pid] = std::max(end[pid], event["ts"].get<double>() + event["dur"].get<double>());
    }
  }
  EXPECT_NEAR(end[process["lower bound, parallel"]], 7000, 1e-6);
  EXPECT_NEAR(end[process["lower bound, sequential"]], 9000, 1e-6);
  EXPECT_NEAR(end[process["abacus, operators one after the other"]], 7000, 1e-6);
}

}  // namespace
}  // namespace benanza::analysis
