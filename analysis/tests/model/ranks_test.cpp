// Several ranks of one job, by hand.

#include "analysis/model/ranks.h"

#include <gtest/gtest.h>

namespace benanza::analysis {
namespace {

CollectiveRun all_reduce(double begin, double end) {
  return {.name = "ncclDevKernel_AllReduce", .span = {begin, end}};
}

TEST(Ranks, TimesOfOneKindAreUnited) {
  const TimeSpans spans = united({{5, 7}, {0, 2}, {1, 3}, {3, 4}});
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(spans[0].end, 4);
  EXPECT_EQ(length_of(spans), 6);
}

// Communication 2 to 8 and 7 to 10, computation 0 to 4 and 6 to 7: 4 to 6 and 7 to 10 are exposed.
TEST(Ranks, CommunicationIsExposedWhereNothingIsComputed) {
  EXPECT_EQ(exposed_seconds({{2, 8}, {7, 10}}, {{0, 4}, {6, 7}}), 5);
  EXPECT_EQ(exposed_seconds({{2, 3}}, {{0, 4}}), 0);
  EXPECT_EQ(exposed_seconds({}, {{0, 4}}), 0);
  EXPECT_EQ(exposed_seconds({{2, 3}}, {}), 1);
}

// Rank 0 computes 4 s, then reduces for 3; rank 1 computes 6 s and reduces for 1: rank 0 waited
// 2 s, although their clocks are 100 s apart.
TEST(Ranks, TheRankWhoseCollectivesAreShortestIsWaitedFor) {
  const RankStep fast{.computation = {{0, 4}}, .collectives = {all_reduce(4, 7)}};
  const RankStep slow{.computation = {{100, 106}}, .collectives = {all_reduce(106, 107)}};
  const RankTimes times = rank_times({{fast}, {slow}});
  EXPECT_EQ(times.of[0][0].waiting, 2);
  EXPECT_EQ(times.of[1][0].waiting, 0);
  EXPECT_EQ(times.of[0][0].exposed, 3);
  EXPECT_EQ(times.of[0][0].span, 7);
  EXPECT_EQ(times.of[1][0].computation, 6);
  EXPECT_EQ(times.unmatched, 0U);
}

TEST(Ranks, StepsWithOtherCollectivesAreNotCompared) {
  const RankStep one{.collectives = {all_reduce(0, 3)}};
  const RankStep two{.collectives = {all_reduce(0, 1), all_reduce(1, 2)}};
  const RankTimes times = rank_times({{one, one}, {one, two}});
  EXPECT_EQ(times.unmatched, 1U);
  EXPECT_EQ(times.of[0][1].waiting, 0);
}

CollectiveRun of_group(const std::string& group, double begin, double end) {
  CollectiveRun run = all_reduce(begin, end);
  run.group = group;
  return run;
}

// Ranks 0 and 1 exchange for 3 and 1 s, ranks 2 and 3 for 8 and 9 s, in the other order with a sum
// over all for 2, 2, 5 and 2 s: 0 waits 2 s for 1, 3 waits 1 s for 2, and 2 waits 3 s for the rest.
TEST(Ranks, WaitWithinTheirGroup) {
  const RankStep steps[] = {{.collectives = {of_group("a", 0, 3), of_group("all", 3, 5)}},
                            {.collectives = {of_group("a", 0, 1), of_group("all", 1, 3)}},
                            {.collectives = {of_group("all", 0, 5), of_group("b", 5, 13)}},
                            {.collectives = {of_group("all", 0, 2), of_group("b", 2, 11)}}};
  const RankTimes times = rank_times({{steps[0]}, {steps[1]}, {steps[2]}, {steps[3]}});
  EXPECT_EQ(times.unmatched, 0U);
  const double waiting[] = {2, 0, 3, 1};
  for (std::size_t rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(times.of[rank][0].waiting, waiting[rank]) << rank;
  }
}

TEST(Ranks, OneThatDoesNotCommunicateIsNotCompared) {
  const RankTimes times = rank_times({{{.collectives = {all_reduce(0, 3)}}}, {RankStep{}}});
  EXPECT_EQ(times.unmatched, 1U);
}

TEST(Ranks, ImbalanceIsTheLongestOverTheMean) {
  EXPECT_DOUBLE_EQ(imbalance({1, 3}), 0.5);
  EXPECT_EQ(imbalance({2, 2}), 0);
  EXPECT_EQ(imbalance({}), 0);
}

// 8 MB over 4 ranks in 1 ms: 12 MB cross each link.
TEST(Ranks, BandwidthCountsEachByteAsOftenAsItCrossesALink) {
  EXPECT_DOUBLE_EQ(all_reduce_bandwidth(8e6, 4, 1e-3), 12e9);
}

}  // namespace
}  // namespace benanza::analysis
