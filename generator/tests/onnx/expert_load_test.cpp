// How tokens are spread over experts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "generator/onnx/operators/shared/experts.h"

namespace benanza::onnx {
namespace {

using testing::ElementsAre;

std::int64_t rows_of(const std::vector<ExpertShare>& shares) {
  std::int64_t rows = 0;
  for (const ExpertShare& share : shares) rows += share.experts * share.rows;
  return rows;
}

TEST(ExpertLoad, IsBalancedOverAsManyAsCanBeBusy) {
  EXPECT_THAT(expert_shares("balanced", 1, 8, 128), ElementsAre(ExpertShare{8, 1}));
  EXPECT_THAT(expert_shares("balanced", 7, 2, 4),
              ElementsAre(ExpertShare{2, 4}, ExpertShare{2, 3}));
}

// By hand: quantiles of x^-2 between 1 and 8 at 1/8, 3/8, 5/8 and 7/8 are 1/(1 - 7/8 u): 1.123,
// 1.488, 2.207 and 4.267; of 20 choices 2.47, 3.28, 4.86 and 9.39 rows; the two largest remainders
// get the two rows that are left.
TEST(ExpertLoad, OfAPowerLawIsItsQuantiles) {
  EXPECT_THAT(expert_shares("power_law:2", 10, 2, 4),
              ElementsAre(ExpertShare{1, 9}, ExpertShare{1, 5}, ExpertShare{2, 3}));
}

TEST(ExpertLoad, LosesNoRowAndGivesNoExpertMoreThanAllTokens) {
  for (const char* load : {"balanced", "power_law:1", "power_law:1.01", "power_law:1.2"}) {
    for (const std::int64_t tokens : {1, 2, 16, 1000}) {
      for (const std::int64_t experts : {8, 128}) {
        const auto shares = expert_shares(load, tokens, 8, experts);
        EXPECT_EQ(rows_of(shares), tokens * 8) << load << ' ' << tokens << ' ' << experts;
        EXPECT_LE(shares.front().rows, tokens) << load << ' ' << tokens << ' ' << experts;
      }
    }
  }
}

TEST(ExpertLoad, OfAListIsInItsProportions) {
  EXPECT_THAT(expert_shares("1,0,3,4", 16, 1, 4),
              ElementsAre(ExpertShare{1, 8}, ExpertShare{1, 6}, ExpertShare{1, 2}));
}

TEST(ExpertLoad, OtherTextIsRefused) {
  for (const char* load : {"", "uniform", "power_law:", "power_law:-1", "1,,2", "0,0", "1,x"}) {
    EXPECT_THROW(require_expert_load(load), Error) << load;
  }
  EXPECT_THROW(expert_shares("1,2", 4, 1, 4), Error) << "two numbers for four experts";
  EXPECT_THROW(expert_shares("1,0,0,0", 4, 2, 4), Error) << "one expert takes 4 of 8 choices";
}

}  // namespace
}  // namespace benanza::onnx
