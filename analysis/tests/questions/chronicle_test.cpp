// Series of results: steps, creeps, and series in which nothing changes.

#include "analysis/questions/history/chronicle.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "analysis/questions/history/fleet.h"
#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using test::us;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int problems = 60;

/// A machine that drifts by `machine` from night to night, calls that differ by `process` from one
/// process to the next, and repetitions.
struct Noise {
  double machine = 0;
  double process = 0;
  double repetition = 0.003;
};

/// `factor(night, problem)`: how much longer it takes than in the first night.
template <class Factor>
std::vector<Station> nights(std::size_t count, unsigned seed, const Noise& noise,
                            const Factor& factor) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 1);
  std::vector<Station> stations(count);
  for (std::size_t night = 0; night < count; ++night) {
    Station& station = stations[night];
    station.path = "night" + std::to_string(night);
    station.results.systems["onednn"] = {{"onednn_version", "3.2"}};
    const double machine = std::exp(noise.machine * normal(random));
    for (int i = 0; i < problems; ++i) {
      const double process = std::exp(noise.process * normal(random));
      std::vector<double> repetitions(5);
      for (double& seconds : repetitions) {
        seconds = (5 + 3 * i) * us * machine * process * factor(night, i) *
                  std::exp(noise.repetition * normal(random));
      }
      station.results.measurements.add(test::measured(
          "relu/" + std::to_string(i) + "/fp32/nchw/onednn/a", std::move(repetitions)));
    }
  }
  return stations;
}

Chronicle told(const std::vector<Station>& stations, std::size_t window = 14) {
  return chronicle_of(stations, {.window = window, .filters = {MeasurementFilter{}}});
}

double creep(double per_night, std::size_t night) {
  return std::pow(1 + per_night, static_cast<double>(night));
}

TEST(Chronicle, AHundredSeriesInWhichNothingChangesAreQuiet) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const auto stations =
        nights(8, seed, {.machine = 0.005, .process = 0.02}, [](std::size_t, int) { return 1.0; });
    EXPECT_THAT(told(stations).events, IsEmpty()) << seed;
  }
}

// Without a tolerance, one series in a hundred may raise an alarm. Each of their 28 pairs by itself
// would: a quarter of the series.
TEST(Chronicle, FalseAlarmsAreAsRareAsPromised) {
  int alarms = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    const auto stations = nights(8, seed, {}, [](std::size_t, int) { return 1.0; });
    const auto found = chronicle_of(stations, {.tolerance = 0, .filters = {MeasurementFilter{}}});
    alarms += found.events.empty() ? 0 : 1;
  }
  EXPECT_LE(alarms, 4);
}

// Nothing tells apart 2% a night of the machine and of the library; after three nights it is more
// than the tolerance.
TEST(Chronicle, ACommonCreepOfTwoPercentIsFoundWithinFiveNights) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const auto stations = nights(6, seed, {.process = 0.002},
                                 [](std::size_t night, int) { return creep(0.02, night); });
    const Chronicle found = told(stations);
    ASSERT_THAT(found.events, SizeIs(1)) << seed;
    ASSERT_TRUE(found.events[0].common);
    EXPECT_EQ(found.events[0].since, 0U);
    EXPECT_TRUE(found.events[0].is_creep());
    EXPECT_TRUE(found.events[0].is_worse());
    EXPECT_EQ(found.events[0].common->verdict, CommonVerdict::cannot_tell);
    EXPECT_EQ(found.worse(), 1U);
  }
}

TEST(Chronicle, ACreepOfOneProblemIsFoundWithinFiveNights) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const auto stations =
        nights(6, seed, {.machine = 0.005, .process = 0.005},
               [](std::size_t night, int i) { return i == 7 ? creep(0.02, night) : 1.0; });
    const Chronicle found = told(stations);
    ASSERT_THAT(found.events, SizeIs(1)) << seed;
    ASSERT_TRUE(found.events[0].change);
    EXPECT_EQ(found.events[0].change->key, "relu/7");
    EXPECT_EQ(found.events[0].change->kind, ChangeKind::slower);
  }
}

// Four percent each night for ten nights: told again each time it has added up.
TEST(Chronicle, NeighboursAloneDoNotShowACreep) {
  const auto stations =
      nights(11, 1, {}, [](std::size_t night, int) { return creep(0.04, night); });
  EXPECT_THAT(told(stations, 1).events, IsEmpty());
  const Chronicle found = told(stations);
  EXPECT_THAT(found.events, SizeIs(5));
  EXPECT_EQ(found.events[0].to, 2U);
  EXPECT_EQ(found.events[1].since, 2U) << "what was told is not told again";
}

// 2% faster a night for five nights, then slower again: the best is in the middle.
TEST(Chronicle, TheBestOfTheWindowCountsNotOnlyTheFirst) {
  const auto stations = nights(11, 1, {}, [](std::size_t night, int i) {
    return i == 7 ? creep(-0.01, night < 5 ? night : 10 - night) : 1.0;
  });
  const auto slow = chronicle_of(stations, {.tolerance = 0.03, .filters = {MeasurementFilter{}}});
  ASSERT_THAT(slow.events, SizeIs(2));
  EXPECT_EQ(slow.events[0].change->kind, ChangeKind::faster);
  EXPECT_EQ(slow.events[1].change->kind, ChangeKind::slower);
}

TEST(Chronicle, AStepIsToldOnce) {
  const auto stations = nights(10, 1, {.process = 0.003}, [](std::size_t night, int i) {
    return i == 7 && night >= 4 ? 1.3 : 1.0;
  });
  const Chronicle found = told(stations);
  ASSERT_THAT(found.events, SizeIs(1));
  EXPECT_EQ(found.events[0].since, 3U);
  EXPECT_EQ(found.events[0].to, 4U);
  EXPECT_EQ(found.events[0].change->key, "relu/7");
}

TEST(Chronicle, ACommonStepIsToldOnceAndNotForEveryProblem) {
  const auto stations = nights(10, 1, {.process = 0.003},
                               [](std::size_t night, int) { return night >= 4 ? 2.0 : 1.0; });
  const Chronicle found = told(stations);
  ASSERT_THAT(found.events, SizeIs(1));
  EXPECT_EQ(found.events[0].to, 4U);
  EXPECT_NEAR(found.events[0].common->ratio(), 2, 0.01);
  EXPECT_EQ(totals(found.compared[0][3].problems).of(ChangeKind::slower), 60U);
}

// Half of the problems take a step, another has a bad night: neither passes for scatter.
TEST(Chronicle, StepsAreNoScatter) {
  const auto stations = nights(10, 1, {.process = 0.005}, [](std::size_t night, int i) {
    return i < 31 && night >= 4 ? 1.3 : i == 40 && night == 6 ? 1.5 : 1.0;
  });
  const Chronicle found = told(stations);
  EXPECT_THAT(found.events, SizeIs(33));
  EXPECT_EQ(totals(found.compared[0][3].problems).of(ChangeKind::slower), 31U);
  EXPECT_EQ(totals(found.compared[0][5].problems).of(ChangeKind::slower), 1U);
  EXPECT_EQ(totals(found.compared[0][6].problems).of(ChangeKind::faster), 1U);
}

// A problem that was not measured for a night, and comes back slower.
TEST(Chronicle, AGapHidesNoChange) {
  auto stations =
      nights(3, 1, {}, [](std::size_t night, int i) { return i == 7 && night == 2 ? 1.3 : 1.0; });
  MeasurementSet without;
  for (const std::string_view key : stations[1].results.measurements.keys()) {
    if (key == "relu/7") continue;
    for (const Measurement& one : stations[1].results.measurements.find(key)) without.add(one);
  }
  stations[1].results.measurements = without;
  const Chronicle found = told(stations);
  ASSERT_THAT(found.events, SizeIs(1));
  EXPECT_EQ(found.events[0].since, 0U);
  EXPECT_EQ(found.events[0].change->key, "relu/7");
}

std::vector<FleetVerdict> fleet(const std::vector<double>& speeds) {
  const auto stations = nights(speeds.size(), 1, {.process = 0.01},
                               [&](std::size_t machine, int) { return speeds[machine]; });
  std::vector<FleetVerdict> verdicts;
  for (const FleetMember& member : fleet_of(stations, {}, 0.05).members) {
    verdicts.push_back(member.verdict);
  }
  return verdicts;
}

TEST(Fleet, HealthyMachinesAreAsFastAsTheirPeers) {
  using enum FleetVerdict;
  EXPECT_THAT(fleet({1, 1, 1.2}), ElementsAre(as_its_peers, as_its_peers, slower));
  EXPECT_THAT(fleet({1.5, 1, 1}), ElementsAre(slower, as_its_peers, as_its_peers));
  EXPECT_THAT(fleet({1, 0.8, 1}), ElementsAre(as_its_peers, faster, as_its_peers));
  EXPECT_THAT(fleet({1, 1, 1.2, 1.4, 1}),
              ElementsAre(as_its_peers, as_its_peers, slower, slower, as_its_peers));
  EXPECT_THAT(fleet({1, 1.01, 0.99, 1}), Each(as_its_peers));
}

TEST(Fleet, WithoutAMajorityNothingTellsWhichIsSlow) {
  EXPECT_THAT(fleet({1, 1.2}), Each(FleetVerdict::undecided));
  EXPECT_THAT(fleet({1, 1, 1.2, 1.2}), Each(FleetVerdict::undecided));
  EXPECT_THAT(fleet({1, 1.01}), Each(FleetVerdict::as_its_peers));
}

}  // namespace
}  // namespace benanza::analysis
