#include "analysis/questions/joint.h"

#include <gmock/gmock.h>

#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using test::layer;
using test::measured;
using test::us;

/// A diamond: a -> b parallel to c -> d. us at fp32, heuristic's choice / fastest:
///   a 4 / 2, b (a call and its bias) 6 + 2 / 6 + 2, as one call 7; c 3 / 3, d 1 / 1.
/// At fp16 a takes 2 / 1, everything else as long as at fp32.
struct JointCase {
  Graph graph{.layers = {layer("a", {}), layer("b", {0}), layer("c", {0}), layer("d", {1, 2})},
              .fusions = {{.pattern = "conv_bias", .layers = {1}, .problem = "relu/b_bias"}}};
  MeasurementSet set;

  JointCase() {
    graph.layers[1].problems = {"relu/b", "add/b"};
    const auto ranked = [&](const std::string& name, double microseconds, int rank) {
      Measurement measurement = measured(name, {microseconds * us});
      measurement.heuristic_rank = rank;
      set.add(measurement);
    };
    ranked("relu/a/fp32/nchw/cudnn/x", 4, 1);
    ranked("relu/a/fp32/nchw/cudnn/y", 2, 2);
    ranked("relu/a/fp16/nchw/cudnn/x", 2, 1);
    ranked("relu/a/fp16/nchw/cudnn/y", 1, 2);
    for (const std::string precision : {"fp32", "fp16"}) {
      set.add(measured("relu/b/" + precision + "/nchw/cudnn/x", {6 * us}));
      set.add(measured("add/b/" + precision + "/nchw/cudnn/x", {2 * us}));
      set.add(measured("relu/b_bias/" + precision + "/nchw/cudnn/x", {7 * us}));
      set.add(measured("relu/c/" + precision + "/nchw/cudnn/x", {3 * us}));
      set.add(measured("relu/d/" + precision + "/nchw/cudnn/x", {1 * us}));
    }
  }

  JointAnswer answer() const { return joint(graph, set, {}, Precision::fp16, Movement::exclude); }
};

double seconds(const JointAnswer& answer, const std::string& name) {
  for (const JointRow& row : answer.rows) {
    if (to_string(row.on) == name) return row.seconds;
  }
  ADD_FAILURE() << name;
  return 0;
}

TEST(Joint, EverySubsetIsThereOnce) {
  const JointAnswer answer = JointCase().answer();
  std::set<std::string> names;
  for (const JointRow& row : answer.rows) names.insert(to_string(row.on));
  EXPECT_EQ(names.size(), 16);
  EXPECT_EQ(to_string(answer.rows.front().on), "none");
  EXPECT_EQ(to_string(answer.rows.back().on), "parallel + algorithms + fusion + Tensor Cores");
}

TEST(Joint, EachSubsetIsTheBoundWithThat) {
  const JointAnswer answer = JointCase().answer();
  EXPECT_NEAR(seconds(answer, "none"), (4 + 8 + 3 + 1) * us, 1e-12);
  EXPECT_NEAR(seconds(answer, "parallel"), (4 + 8 + 1) * us, 1e-12);
  EXPECT_NEAR(seconds(answer, "algorithms"), (2 + 8 + 3 + 1) * us, 1e-12);
  EXPECT_NEAR(seconds(answer, "fusion"), (4 + 7 + 3 + 1) * us, 1e-12);
  EXPECT_NEAR(seconds(answer, "Tensor Cores"), (2 + 8 + 3 + 1) * us, 1e-12);
  EXPECT_NEAR(seconds(answer, "parallel + algorithms + fusion + Tensor Cores"), (1 + 7 + 1) * us,
              1e-12);
}

TEST(Joint, SpeedUpsComposeOrNot) {
  const JointAnswer answer = JointCase().answer();
  const JointRow& all = answer.rows.back();
  EXPECT_NEAR(all.speed_up, 16.0 / 9, 1e-9);
  EXPECT_NEAR(all.composed_speed_up, 16.0 / 13 * (16.0 / 14) * (16.0 / 15) * (16.0 / 14), 1e-9);
  EXPECT_DOUBLE_EQ(answer.rows.front().composed_speed_up, 1);
}

TEST(Joint, FusionIsTheCheapestCoverAndOneStepOfTheCriticalPath) {
  // a (4) -> b (3) as one call 5, parallel to c (6): sequentially 11, in parallel 6.
  Graph graph{.layers = {layer("a", {}), layer("b", {0}), layer("c", {})},
              .fusions = {{.pattern = "two", .layers = {0, 1}, .problem = "relu/ab"}}};
  MeasurementSet set;
  for (const auto& [name, microseconds] : {std::pair("relu/a", 4), std::pair("relu/b", 3),
                                           std::pair("relu/c", 6), std::pair("relu/ab", 5)}) {
    for (const char* precision : {"/fp32", "/fp16"}) {
      set.add(measured(std::string(name) + precision + "/nchw/cudnn/x", {microseconds * us}));
    }
  }
  const JointAnswer answer = joint(graph, set, {}, Precision::fp16, Movement::exclude);
  EXPECT_NEAR(seconds(answer, "none"), 13 * us, 1e-12);
  EXPECT_NEAR(seconds(answer, "parallel"), 7 * us, 1e-12);
  EXPECT_NEAR(seconds(answer, "fusion"), 11 * us, 1e-12);
  EXPECT_NEAR(seconds(answer, "parallel + fusion"), 6 * us, 1e-12);
  EXPECT_TRUE(answer.incomplete.empty());
  graph.fusions[0].problem = "relu/unmeasured";
  EXPECT_FALSE(joint(graph, set, {}, Precision::fp16, Movement::exclude).incomplete.empty());
}

// e has a time only at fp16: if it counted there, Tensor Cores would make the model slower.
TEST(Joint, ALayerThatSomeSubsetsLackIsInNone) {
  JointCase given;
  given.graph.layers.push_back(layer("e", {3}));
  given.set.add(test::refused("relu/e/fp32/nchw/cudnn/x", Status::unsupported, "no"));
  given.set.add(measured("relu/e/fp16/nchw/cudnn/x", {50 * us}));
  const JointAnswer answer = given.answer();
  EXPECT_THAT(answer.left_out, testing::ElementsAre(4));
  EXPECT_TRUE(answer.partial);
  EXPECT_NEAR(seconds(answer, "none"), 16 * us, 1e-12);
  EXPECT_NEAR(seconds(answer, "Tensor Cores"), 14 * us, 1e-12);
}

TEST(Joint, AMissingMeasurementMakesItPartial) {
  JointCase given;
  EXPECT_TRUE(given.answer().incomplete.empty());
  given.graph.layers[3].problems = {"relu/none"};
  EXPECT_FALSE(given.answer().incomplete.empty());
}

}  // namespace
}  // namespace benanza::analysis
