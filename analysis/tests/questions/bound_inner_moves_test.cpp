// Copies between the calls of a layer in the bound with movement.
#include <gmock/gmock.h>

#include "analysis/questions/bound/report.h"
#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using test::measured;
using test::ms;

TEST(BoundReport, CopiesBetweenCallsAreInTheBoundWithMovement) {
  Graph graph{.model = "m", .layers = {test::layer("a", {})}};
  graph.layers[0].problems = {"copy/8_f2_t1", "relu/8"};
  graph.layers[0].inner_moves = {0};
  const MeasurementFilter filter{.inner_moves = false};
  MeasurementSet set;
  set.add(measured("relu/8/fp32/any/onednn/jit", {3 * ms}));
  // Without a time, they are left out there, too, and the layer is not.
  const BoundReport unknown = make_report(graph, set, filter, Movement::exclude);
  EXPECT_DOUBLE_EQ(unknown.bounds.sequential.seconds, 3 * ms);
  EXPECT_DOUBLE_EQ(unknown.with_movement.sequential.seconds, 3 * ms);
  EXPECT_EQ(unknown.movement_without_time, 1U);
  set.add(measured("copy/8_f2_t1/fp32/plain/onednn/jit", {2 * ms}));
  const BoundReport known = make_report(graph, set, filter, Movement::exclude);
  EXPECT_DOUBLE_EQ(known.bounds.sequential.seconds, 3 * ms);
  EXPECT_DOUBLE_EQ(known.with_movement.sequential.seconds, 5 * ms);
  EXPECT_EQ(known.movement_without_time, 0U);
}

}  // namespace
}  // namespace benanza::analysis
