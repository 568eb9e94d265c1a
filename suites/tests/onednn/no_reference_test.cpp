#include <gtest/gtest.h>

#include <algorithm>

#include "suites/onednn/backend.h"

namespace benanza::onednn {
namespace {

/// Problems for which the library, asked as they are, has reference code alone.
class FastCode : public testing::TestWithParam<const char*> {};

TEST_P(FastCode, IsFoundBesideTheReferenceCode) {
  const auto backend = make_backend();
  const Problem problem = parse(GetParam());
  const Layout layout = backend->layouts(problem).front();
  const harness::Variant prototype{problem, Precision::fp32, layout, ""};
  const auto ways = backend->ways(prototype, harness::AlgorithmSet::all);
  EXPECT_FALSE(
      std::ranges::any_of(ways, [](const harness::Way& way) { return way.traits.reference; }));
  EXPECT_FALSE(backend->ways(prototype, harness::AlgorithmSet::best).front().traits.reference);
}

INSTANTIATE_TEST_SUITE_P(Problems, FastCode,
                         testing::Values("softmax/1x16x4x100_a1", "softmax/8x16x100_a0",
                                         "softmax/2x3x4x5x6_a2", "mul/1x512x1_1x1x256",
                                         "add/4x512x1_4x1x256", "sub/1x512x1_1x1x256",
                                         "div/64x1_1x32", "max/2x64x1x32_2x1x64x32"));

}  // namespace
}  // namespace benanza::onednn
