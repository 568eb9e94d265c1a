#include "analysis/model/device_rates.h"

#include <gmock/gmock.h>

#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using test::five;
using test::measured;
using test::us;
using testing::Optional;

Graph with_weights(std::int64_t elements, std::int64_t bytes) {
  Graph graph;
  graph.compulsory = Compulsory{.weights = {.elements = elements, .bytes = bytes}};
  return graph;
}

TEST(WeightBytes, AreOfFloatsAndOfStoredTypes) {
  EXPECT_THAT(weight_bytes(with_weights(10, 3), Precision::fp16), Optional(23));
  EXPECT_THAT(weight_bytes(with_weights(10, 3), Precision::fp32), Optional(43));
  EXPECT_EQ(weight_bytes(Graph{}, Precision::fp32), std::nullopt);
}

TEST(WeightsComeFromMemory, IfTheyAreMoreThanTheCacheKeeps) {
  EXPECT_FALSE(weights_come_from_memory(with_weights(10, 0), Precision::fp16, 20));
  EXPECT_TRUE(weights_come_from_memory(with_weights(10, 0), Precision::fp32, 20));
  EXPECT_FALSE(weights_come_from_memory(with_weights(10, 0), Precision::fp32, std::nullopt));
  EXPECT_FALSE(weights_come_from_memory(Graph{}, Precision::fp32, 20));
}

Measurement call(const std::string& name, double seconds, std::optional<double> rotating = {}) {
  Measurement made = measured("gemm/m1_n1_k1_nn_w/" + name, five(seconds));
  made.rotating_seconds = rotating;
  return made;
}

double seconds_of(const MeasurementSet& set, const std::string& name) {
  for (const Measurement& one : set.find("gemm/m1_n1_k1_nn_w")) {
    if (to_string(one.variant) == "gemm/m1_n1_k1_nn_w/" + name) return one.seconds();
  }
  return 0;
}

TEST(WithWeightsFromMemory, TakesTheirTimes) {
  MeasurementSet set;
  set.add(call("fp16/plain/a/x", 2 * us, 5 * us));
  set.add(call("fp16/plain/a/between", 4 * us));
  set.add(call("fp16/plain/a/slow", 6 * us));
  set.add(call("fp16/plain/a/x/cold", 1 * us));
  set.add(call("fp32/plain/a/x", 3 * us));
  const auto made = with_weights_from_memory(set);
  ASSERT_TRUE(made);
  EXPECT_NEAR(seconds_of(*made, "fp16/plain/a/x"), 5 * us, 1e-12);
  EXPECT_EQ(seconds_of(*made, "fp16/plain/a/between"), 0) << "it would seem faster than it is";
  EXPECT_NEAR(seconds_of(*made, "fp16/plain/a/slow"), 6 * us, 1e-12);
  EXPECT_NEAR(seconds_of(*made, "fp16/plain/a/x/cold"), 1 * us, 1e-12);
  EXPECT_NEAR(seconds_of(*made, "fp32/plain/a/x"), 3 * us, 1e-12);
}

TEST(WithWeightsFromMemory, IsNothingWithoutSuchTimes) {
  MeasurementSet set;
  set.add(call("fp16/plain/a/x", 2 * us));
  EXPECT_FALSE(with_weights_from_memory(set));
}

}  // namespace
}  // namespace benanza::analysis
