// Where the time of attention with a window stops to grow with the tokens in the cache.
#include "analysis/questions/serve/steps.h"

#include <gmock/gmock.h>

#include <limits>

#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using test::layer;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr double never = std::numeric_limits<double>::infinity();

/// A step of a product without a cache and of attention that reads `keys` tokens of one.
struct OneStep {
  Graph graph{.model = "m", .batch = 1, .layers = {layer("fc", {}), layer("attention", {0})}};
  std::pair<ServingPoint, const Graph*> one{};

  OneStep(std::int64_t past, const std::vector<std::string>& problems) {
    graph.layers[0].problems = {"gemm/m1_n64_k64_nn_w"};
    graph.layers[1].problems = problems;
    one = {{.model = "m", .past = past, .new_tokens = 1}, &graph};
  }
  OneStep(const OneStep&) = delete;
};

TEST(Windows, EndWhereALayerReadsNoMoreTokens) {
  const OneStep near(63, {"attention/1x8x1x64_k2x64x64_s0.125"});
  const OneStep far(1023, {"attention/1x8x1x64_k2x128x64_s0.125"});
  // At 127 tokens in the cache and the new one.
  EXPECT_THAT(limits_of(ServingPhase::decode, {&near.one, &far.one}),
              ElementsAre(ElementsAre(never, 127), IsEmpty()));
  EXPECT_THAT(limits_of(ServingPhase::decode, {&near.one}), IsEmpty());
}

// Four queries with windows of 128 keys see 131 of the 1,024.
TEST(Windows, MayBePartOfTheCall) {
  OneStep far(1020, {"attention/1x8x4x64_k2x1024x64_s0.125_causal_w128"});
  far.one.first.new_tokens = 4;
  EXPECT_THAT(limits_of(ServingPhase::decode, {&far.one}),
              ElementsAre(ElementsAre(never, 127), IsEmpty()));
}

TEST(Windows, AreFoundInProductsWithACache) {
  const OneStep scores(1023, {"gemm/m4_n128_k64_nt_a8_b8_cache"});
  const OneStep values(1023, {"gemm/m4_n64_k128_nn_a8_b8_cache"});
  for (const OneStep* const step : {&scores, &values}) {
    EXPECT_THAT(limits_of(ServingPhase::decode, {&step->one}),
                ElementsAre(ElementsAre(never, 127), IsEmpty()));
  }
}

TEST(Windows, OfPromptsAreNone) {
  const OneStep far(1023, {"attention/1x8x1x64_k2x128x64_s0.125"});
  EXPECT_THAT(limits_of(ServingPhase::prefill, {&far.one}), IsEmpty());
}

}  // namespace
}  // namespace benanza::analysis
