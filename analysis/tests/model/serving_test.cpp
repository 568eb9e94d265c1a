#include "analysis/questions/serve/point.h"

#include <gmock/gmock.h>

namespace benanza::analysis {
namespace {

TEST(LargestBatch, IsWhatFitsBesideTheWeights) {
  // 100 of 160 bytes are left; a sequence of 10 tokens needs 10 * 2 + 5.
  const ServedMemory memory{.weight_bytes = 60, .cache_bytes_per_token = 2, .cache_bytes_fixed = 5};
  EXPECT_EQ(largest_batch(memory, 10, 160), 4);
  EXPECT_EQ(largest_batch(memory, 10, 159), 3);
  EXPECT_DOUBLE_EQ(memory.bytes(4, 10), 160);
  EXPECT_EQ(largest_batch(memory, 10, 59), 0);
  EXPECT_EQ(largest_batch({.weight_bytes = 60}, 10, 100), std::nullopt);
}

TEST(ServedBatch, IsPromptsAndThenAStepForEachFurtherToken) {
  // 8 prompts, 2 at once, 0.5 s each: 2 s. 10 further tokens of 0.2 s: 2 s.
  const ServedBatch served{.batch = 8,
                           .prompts_at_once = 2,
                           .prefill_seconds = 0.5,
                           .output_tokens = 11,
                           .token_seconds = 0.2};
  EXPECT_DOUBLE_EQ(served.seconds(), 4);
  EXPECT_DOUBLE_EQ(served.requests_per_second(), 2);
  EXPECT_DOUBLE_EQ(served.tokens_per_second(), 22);
}

TEST(UsdPerMillionTokens, IsThePriceOfTheTimeTheyTake) {
  // A million tokens at 1000 a second take 1000 s, of 0.001 USD each.
  EXPECT_DOUBLE_EQ(usd_per_million_tokens(3.6, 1000), 1);
}

TEST(FrontOf, LeavesOutWhatAnotherBeats) {
  EXPECT_THAT(front_of({{1, 10}, {2, 20}, {3, 15}, {2, 18}, {4, 20}}),
              testing::ElementsAre(true, true, false, false, false));
  EXPECT_THAT(front_of({{1, 10}, {1, 10}}), testing::ElementsAre(true, true));
}

}  // namespace
}  // namespace benanza::analysis
