// The least that a layer of several calls must read: constants and caches.
#include <gmock/gmock.h>

#include "analysis/model/floor.h"
#include "analysis/model/whole.h"
#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using test::five;
using test::layer;
using test::measured;
using test::us;
using testing::DoubleNear;
using testing::Optional;

constexpr double tiny = 1e-12;

/// Attention of one query over 65,536 keys by two products with a softmax between them; either
/// reads a cache of 65,536 x 16 elements, 2,097,152 bytes at fp16. A device of 1e11 byte/s with a
/// cache of 1e6 bytes.
struct TwoProducts {
  Graph graph{.model = "m", .layers = {layer("a", {})}};
  MeasurementSet set{};
  std::string scores = "gemm/m2_n65536_k16_nt_cache";
  std::string values = "gemm/m2_n16_k65536_nn_cache";
  std::string softmax = "softmax/2x65536_a1";

  TwoProducts() {
    graph.layers[0].op = "Attention";
    graph.layers[0].problems = {scores, softmax, values};
  }
  Floor floor(std::optional<double> rotating_seconds = std::nullopt) {
    const MeasurementFilter filter{.precision = Precision::fp16};
    for (const std::string& key : graph.layers[0].problems) {
      Measurement call = measured(key + "/fp16/plain/cudnn/x", five(50 * us));
      if (key != softmax) call.rotating_seconds = rotating_seconds;
      set.add(std::move(call));
    }
    const DeviceRates rates{.flops_per_second = 1e13,
                            .bytes_per_second = 1e11,
                            .cache_bytes = 1e6,
                            .most_kept_bytes = 2e6};
    return model_floor(graph, layer_times(graph, set, filter), rates, filter).layers[0];
  }
};

TEST(FloorOfCalls, CountsTheirCachesLessWhatEachMayKeep) {
  EXPECT_THAT(TwoProducts().floor().seconds(), Optional(DoubleNear(2 * 10.97152 * us, tiny)));
  EXPECT_DOUBLE_EQ(TwoProducts().floor().moved->read, 2 * 2'097'152);
}

// Half of the device's cache may hold a part of what rotates. The softmax has nothing that does.
TEST(FloorOfCalls, CountsWhatRotatesThroughMemory) {
  TwoProducts given;
  given.graph.compulsory = Compulsory{.weights = {.elements = 2'000'000}};
  EXPECT_THAT(given.floor(60 * us).seconds(), Optional(DoubleNear(2 * 15.97152 * us, tiny)));
  TwoProducts in_cache;
  EXPECT_THAT(in_cache.floor(60 * us).seconds(), Optional(DoubleNear(2 * 10.97152 * us, tiny)));
}

TEST(FloorOfCalls, CountsEqualProblemsOnce) {
  TwoProducts given;
  given.graph.layers[0].problems = {given.scores, given.softmax, given.scores};
  EXPECT_THAT(given.floor().seconds(), Optional(DoubleNear(10.97152 * us, tiny)));
}

TEST(FloorOfCalls, IsThatOfTheWayThatReadsLeast) {
  TwoProducts given;
  given.graph.fusions = {
      {.pattern = "attention", .layers = {0}, .problem = given.softmax, .also = {given.scores}}};
  EXPECT_THAT(given.floor().seconds(), Optional(DoubleNear(10.97152 * us, tiny)));
}

TEST(FloorOfCalls, IsWhatTheGraphSaysIfItSaysSo) {
  TwoProducts given;
  given.graph.layers[0].compulsory = Compulsory{.inputs = {.elements = 1'000'000}};
  EXPECT_THAT(given.floor().seconds(), Optional(DoubleNear(10 * us, tiny)));
}

}  // namespace
}  // namespace benanza::analysis
