#include "suites/harness/peaks/peaks.h"

#include <gmock/gmock.h>

#include <new>
#include <stdexcept>

#include "suites/tests/harness/fake/fake_backend.h"

namespace benanza::harness {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(BestRate, OfRandomValuesIsReportedOfAnyPossible) {
  BestRate best;
  best.take(Values::random, 3);
  best.take(Values::zeros, 5);
  best.take(Values::random, 2);
  EXPECT_EQ(best.reported, 3);
  EXPECT_EQ(best.possible, 5);
  best.take({.reported = 4, .possible = 4});
  EXPECT_EQ(best.reported, 4);
  EXPECT_EQ(best.possible, 5);
}

/// Has five ways, of which the second is a reference.
struct FiveWays : FakeBackend {
  FiveWays() : FakeBackend("1") {}
  std::vector<Way> ways(const Variant& prototype, AlgorithmSet) override {
    std::vector<Way> ways;
    for (const char* const name : {"a", "b", "c", "d", "e"}) {
      Variant variant = prototype;
      variant.algorithm = name;
      ways.push_back(way(variant));
    }
    ways[1].traits.reference = true;
    return ways;
  }
};

struct BestOfWays : testing::Test {
  FiveWays library;
  Variant relu{parse("relu/8"), Precision::fp32, Layout::nchw, {}};
  int timed = 0;
  std::function<BestRate(Primitive&)> rising = [this](Primitive&) {
    ++timed;
    return BestRate{.reported = 1.0 * timed, .possible = 10.0 * timed};
  };
};

TEST_F(BestOfWays, IsOfTheFirstThree) {
  const BestRate best = best_of_ways(library, relu, {.rate = rising});
  EXPECT_EQ(timed, 3);
  EXPECT_EQ(best.reported, 3);
  EXPECT_EQ(best.possible, 30);
}

TEST_F(BestOfWays, WhatDoesNotCountIsNotTried) {
  std::vector<bool> references;
  const auto counts = [&](const Traits& traits) {
    references.push_back(traits.reference);
    return !traits.reference;
  };
  best_of_ways(library, relu, {.counts = counts, .rate = rising});
  EXPECT_EQ(timed, 3);
  EXPECT_THAT(references, ElementsAre(false, true, false, false, false));
}

TEST_F(BestOfWays, EndsWhenTheSearchIsOver) {
  const auto is_over = [&] { return timed == 2; };
  EXPECT_EQ(best_of_ways(library, relu, {.is_over = is_over, .rate = rising}).reported, 2);
  EXPECT_EQ(timed, 2);
}

TEST(SearchAsFarAsPossible, KeepsWhatWasFound) {
  for (const auto& fail : std::vector<std::function<void()>>{
           [] { throw Unsupported("no fp8"); }, [] { throw std::bad_alloc(); },
           [] { throw std::runtime_error("launch failed"); }}) {
    BestRate best;
    EXPECT_NO_THROW(search_as_far_as_possible([&] {
      best.take(Values::random, 1);
      fail();
      best.take(Values::random, 2);
    }));
    EXPECT_EQ(best.reported, 1);
  }
}

TEST(SearchAsFarAsPossible, IsNoUseWithoutAnEngine) {
  EXPECT_THROW(search_as_far_as_possible([] { throw EngineLost("illegal address"); }), EngineLost);
}

TEST(PeaksBySearch, LeaveOutWhatIsUnknown) {
  const auto flops = [](Precision precision) {
    return precision == Precision::fp32 ? BestRate{.reported = 4, .possible = 5} : BestRate{};
  };
  const auto bytes = [] { return BestRate{.reported = 2, .possible = 3}; };
  const Peaks peaks = peaks_by_search(flops, bytes, 7);
  EXPECT_THAT(peaks.reported.flops, ElementsAre(Pair(Precision::fp32, 4)));
  EXPECT_THAT(peaks.possible.flops, ElementsAre(Pair(Precision::fp32, 5)));
  EXPECT_EQ(peaks.reported.bytes, 2);
  EXPECT_EQ(peaks.possible.bytes, 3);
  EXPECT_EQ(peaks.cache_bytes, 7);
}

}  // namespace
}  // namespace benanza::harness
