#include "suites/harness/measure/race.h"

#include <gmock/gmock.h>

#include <limits>

namespace benanza::harness {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr double infinite = std::numeric_limits<double>::infinity();

struct RaceTest : testing::Test {
  static RaceRules rules() {
    return {.heats = {{0.001, 1.5}, {0.01, 1.1}, {0.1, 1.02}},
            .first_call_margin = 3,
            .first_call_seconds = 1,
            .finalists = 2,
            .parents = 2,
            .generations = 3};
  }
  Race race{rules()};
};

TEST_F(RaceTest, TheFirstRunsAllHeats) {
  EXPECT_FALSE(race.best_seconds());
  EXPECT_TRUE(race.may_start(1e9));
  EXPECT_TRUE(race.goes_on("a", 0, 10));
  EXPECT_TRUE(race.goes_on("a", 1, 10));
  EXPECT_FALSE(race.goes_on("a", 2, 10)) << "the last heat";
  EXPECT_EQ(race.best_seconds(), 10);
}

// Margins: 15, 11 and 10.2 s.
TEST_F(RaceTest, TheMarginShrinksFromHeatToHeat) {
  race.goes_on("a", 0, 10);
  EXPECT_FALSE(race.goes_on("b", 0, 15.1));
  EXPECT_TRUE(race.goes_on("c", 0, 15));
  EXPECT_FALSE(race.goes_on("c", 1, 15));
  EXPECT_TRUE(race.goes_on("d", 0, 11));
  EXPECT_TRUE(race.goes_on("d", 1, 11));
}

TEST_F(RaceTest, AHopelessFirstCallEndsIt) {
  race.goes_on("a", 0, 10);
  EXPECT_TRUE(race.may_start(31));
  EXPECT_FALSE(race.may_start(31.1));
}

TEST_F(RaceTest, AFasterCandidateRaisesTheBarForThoseThatFollow) {
  race.goes_on("a", 0, 10);
  EXPECT_TRUE(race.goes_on("b", 0, 5));
  EXPECT_FALSE(race.goes_on("c", 0, 8));
  EXPECT_TRUE(race.is_close("b"));
  EXPECT_FALSE(race.is_close("a"));
}

TEST_F(RaceTest, TheFastestTimeOfACandidateCounts) {
  race.goes_on("a", 0, 10);
  race.goes_on("b", 0, 11);
  EXPECT_THAT(race.ranking(), ElementsAre("a", "b"));
  race.goes_on("b", 1, 9);
  race.goes_on("b", 2, 12);
  EXPECT_THAT(race.ranking(), ElementsAre("b", "a"));
  EXPECT_EQ(race.best_seconds(), 9);
}

TEST_F(RaceTest, WhatTurnsOutToBeWrongIsNoMeasureForOthers) {
  race.goes_on("a", 0, 5);
  race.goes_on("b", 0, 10);
  EXPECT_FALSE(race.is_close("b"));
  race.withdraw("a");
  EXPECT_EQ(race.best_seconds(), 10);
  EXPECT_THAT(race.ranking(), ElementsAre("b"));
  EXPECT_TRUE(race.is_close("b"));
}

TEST_F(RaceTest, TheBestAreParentsOnceAndOnlyForSomeGenerations) {
  race.goes_on("a", 0, 10);
  race.goes_on("b", 0, 11);
  race.goes_on("c", 0, 12);
  EXPECT_THAT(race.take_parents(), ElementsAre("a", "b"));
  EXPECT_THAT(race.take_parents(), IsEmpty());
  race.goes_on("d", 0, 9);
  EXPECT_THAT(race.take_parents(), ElementsAre("d"));
  race.goes_on("e", 0, 8);
  EXPECT_THAT(race.take_parents(), IsEmpty()) << "the fourth generation";
}

TEST(RaceRulesTest, WithAnInfiniteMarginNothingIsDropped) {
  RaceRules rules = RaceTest::rules();
  rules.set_margin(infinite);
  Race race(rules);
  race.goes_on("a", 0, 1);
  EXPECT_TRUE(race.may_start(1e9));
  EXPECT_TRUE(race.goes_on("b", 0, 1e9));
  EXPECT_TRUE(race.goes_on("b", 1, 1e9));
  EXPECT_TRUE(race.is_close("b"));
}

TEST(RaceRulesTest, ASmallMarginChangesTheLastHeatOnly) {
  RaceRules rules = RaceTest::rules();
  rules.set_margin(1.01);
  EXPECT_EQ(rules.heats[0].margin, 1.5);
  EXPECT_EQ(rules.heats[1].margin, 1.1);
  EXPECT_EQ(rules.heats[2].margin, 1.01);
  EXPECT_EQ(rules.first_call_margin, 3);
}

TEST(HeatOptions, AHeatIsShortAndPaysNothingBack) {
  const MeasureOptions options = options_of({0.01, 1.5}, {.preparation_seconds = 7}, 2.0);
  EXPECT_EQ(options.budget_seconds, 0.01);
  EXPECT_EQ(options.preparation_seconds, 0);
  EXPECT_EQ(options.payback, 0);
  EXPECT_EQ(options.rival_seconds, 2);
  EXPECT_EQ(options.hopeless_by, 1.5);
  EXPECT_EQ(options_of({0.01, 1.5}, {.budget_seconds = 0.001}, {}).budget_seconds, 0.001)
      << "no longer than the run's own measurements";
}

}  // namespace
}  // namespace benanza::harness
