#include "suites/harness/run/serve.h"

#include <gmock/gmock.h>

#include <functional>

#include "suites/tests/harness/fake/fake_backend.h"

namespace benanza::harness {
namespace {

using testing::ElementsAre;

/// Computes a sample's time from the number of samples before it.
struct VisitsStopwatch : Stopwatch {
  explicit VisitsStopwatch(std::function<double(std::size_t)> script)
      : seconds(std::move(script)) {}
  double time(Primitive&, std::int64_t calls) override {
    log.push_back(calls);
    return seconds(samples++) * static_cast<double>(calls);
  }
  double time_cold(Primitive&) override {
    ++cold;
    return seconds(samples++);
  }
  double short_sample_seconds() const override { return 1e-4; }

  std::function<double(std::size_t)> seconds;
  std::size_t samples = 0;
  std::size_t cold = 0;
  std::vector<std::int64_t> log;
};

constexpr double us = 1e-6;

// Calls of 15 us: seven take 0.1 ms. A visit of 0.6 ms is six samples, the first of which takes
// twice as long and does not count.
TEST(Visits, TakeSamplesAsShortAsTheClockAllowsAndLeaveTheFirstOut) {
  FakePrimitive primitive(1);
  VisitsStopwatch stopwatch([](std::size_t) { return 15 * us; });
  Visits visits(primitive, stopwatch, {.budget_seconds = 600 * us});
  EXPECT_EQ(visits.calls(), 7);
  stopwatch.log.clear();
  stopwatch.seconds = [first = stopwatch.samples](std::size_t sample) {
    return (sample == first ? 30 : 15) * us;
  };
  EXPECT_DOUBLE_EQ(visits.visit(7), 15 * us);
  EXPECT_THAT(stopwatch.log, ElementsAre(7, 7, 7, 7, 7, 7));
  EXPECT_DOUBLE_EQ(visits.outcome().timed_seconds, 735 * us);
}

// A slow first call, e.g. of a kernel that is being compiled, does not count as a long call.
TEST(Visits, AreOfAsManyCallsHoweverSlowTheFirstOneWas) {
  FakePrimitive primitive(1);
  VisitsStopwatch stopwatch([](std::size_t sample) { return (sample == 0 ? 3000 : 15) * us; });
  EXPECT_EQ(Visits(primitive, stopwatch, {.budget_seconds = 2e-3}).calls(), 7);
}

// The visits to both are one row. The other one is warmed up with samples of as many calls.
TEST(Visits, GoOnWithAnotherPrimitiveOfTheVariant) {
  FakePrimitive primitive(1);
  FakePrimitive elsewhere(1);
  VisitsStopwatch stopwatch([](std::size_t) { return 15 * us; });
  Visits visits(primitive, stopwatch, {.budget_seconds = 600 * us});
  visits.visit(7);
  stopwatch.log.clear();
  visits.go_on_with(elsewhere);
  EXPECT_EQ(stopwatch.log.back(), 7);
  EXPECT_EQ(visits.calls(), 7);
  stopwatch.seconds = [](std::size_t) { return 18 * us; };
  visits.visit(7);
  EXPECT_THAT(visits.outcome().samples, ElementsAre(15 * us, 18 * us));
}

// Other processes slowed down half of the samples; some were lucky.
TEST(Visits, SayWhatTheFastestSixthTakes) {
  FakePrimitive primitive(1);
  VisitsStopwatch stopwatch([](std::size_t) { return 100 * us; });
  Visits visits(primitive, stopwatch, {.budget_seconds = 3e-3});
  stopwatch.seconds = [](std::size_t sample) {
    return (sample % 2 == 0 ? 190 : sample % 12 == 1 ? 90 : 100) * us;
  };
  EXPECT_DOUBLE_EQ(visits.visit(1), 100 * us);
  EXPECT_DOUBLE_EQ(visits.visit(1), 100 * us);
  const Outcome outcome = visits.outcome();
  EXPECT_EQ(outcome.status, Status::ok);
  EXPECT_EQ(outcome.samples.size(), 2U);
  EXPECT_EQ(outcome.calls_per_sample, 1);
}

TEST(Visits, TakeFiveSamplesOfACallThatIsLongerThanTheBudget) {
  FakePrimitive primitive(1);
  VisitsStopwatch stopwatch([](std::size_t) { return 1.0; });
  Visits visits(primitive, stopwatch, {.budget_seconds = 1e-3});
  stopwatch.log.clear();
  visits.visit(1);
  EXPECT_EQ(stopwatch.log.size(), 6U);
}

TEST(Visits, AreCold) {
  FakePrimitive primitive(1);
  VisitsStopwatch stopwatch([](std::size_t) { return 100 * us; });
  Visits visits(primitive, stopwatch, {.budget_seconds = 100 * us, .cold = true});
  EXPECT_DOUBLE_EQ(visits.visit(visits.calls()), 100 * us);
  EXPECT_EQ(stopwatch.cold, 5U);
}

TEST(Visits, NoneIsNoTime) {
  FakePrimitive primitive(1);
  VisitsStopwatch stopwatch([](std::size_t) { return 100 * us; });
  EXPECT_THROW(Visits(primitive, stopwatch, {}).outcome(), std::runtime_error);
}

}  // namespace
}  // namespace benanza::harness
