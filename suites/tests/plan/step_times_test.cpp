#include "suites/plan/step_times.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "suites/tests/plan/two_convolutions.h"

namespace benanza::plan {
namespace {

TEST(StepTimes, SayWhatItsCallsAndConversionsTake) {
  const TwoConvolutions model(Layout::any);
  PlannedModel planned(model.plan, model.backends.all(), nullptr);
  const std::vector<StepTime> times = step_times(planned);
  ASSERT_EQ(times.size(), 4U) << "three steps, and what is converted after them";
  const nlohmann::json made = nlohmann::json::parse('{' + step_times_json(planned, times) + '}');
  ASSERT_EQ(made["steps"].size(), 3U);
  EXPECT_EQ(made["steps"][1]["call"], model.plan.steps[1].call);
  for (const nlohmann::json& step : made["steps"]) {
    EXPECT_GT(step["seconds"].get<double>(), 0);
    EXPECT_GT(step["repeated_seconds"].get<double>(), 0);
  }
  // The image before the first step, and the second's result before the sum.
  ASSERT_EQ(made["conversions"].size(), 2U);
  EXPECT_EQ(made["conversions"][0]["from"], "");
  EXPECT_EQ(made["conversions"][1]["to"], "");
  EXPECT_EQ(made["conversions"][1]["from"], made["conversions"][0]["to"]);
  EXPECT_EQ(made["conversions"][1]["bytes"], 16 * 36 * 4);
  EXPECT_GT(made["steps"][2]["conversion_seconds"].get<double>(), 0);
}

/// Says what it was told to of each row without and with its last call, in microseconds, five
/// times; 4 for a call that is repeated.
class ToldStopwatch final : public harness::Stopwatch {
 public:
  explicit ToldStopwatch(std::vector<double> rows) : rows_(std::move(rows)) {}
  double time(harness::Primitive&, std::int64_t calls) override {
    return 4e-6 * static_cast<double>(calls);
  }
  std::vector<double> time_samples(harness::Primitive& row, std::int64_t calls,
                                   std::size_t samples) override {
    EXPECT_EQ(calls, 1);
    row.run();
    // The power limit lowers the clock in between: both rows of a turn take longer.
    const double slow = 1 + 0.1 * static_cast<double>(asked_ / 2 % 5);
    std::vector<double> seconds(samples, rows_.at(next()) * 1e-6 * slow);
    seconds.front() = 1;  // disturbed
    ++asked_;
    return seconds;
  }
  double time_cold(harness::Primitive&) override { return 0; }
  std::size_t asked() const { return asked_; }

 private:
  /// Nobody asks for the empty row.
  std::size_t next() {
    if (asked_ < 5) return 0;
    const std::size_t turn = (asked_ - 5) / 10;
    return turn + (asked_ - 5) % 2;
  }

  std::vector<double> rows_;
  std::size_t asked_ = 0;
};

// Conversion, first step, second, conversion, sum; the second one's row is shorter, by noise.
TEST(StepTimes, AreOfRowsOfCallsThatTheHostDoesNotWaitFor) {
  const TwoConvolutions model(Layout::any);
  PlannedModel planned(model.plan, model.backends.all(), nullptr);
  ToldStopwatch stopwatch({1, 6, 5, 8, 20});
  const std::vector<StepTime> times = step_times(planned, stopwatch);
  EXPECT_EQ(stopwatch.asked(), 45U);
  ASSERT_EQ(times.size(), 4U);
  ASSERT_EQ(times[0].conversions.size(), 1U);
  EXPECT_GE(times[0].conversions[0], 1e-6);
  EXPECT_LE(times[0].conversions[0], 1.4e-6);
  EXPECT_NEAR(times[0].in_plan, 6e-6, 1.1e-6) << "5 us, by a clock lowered by 20%";
  EXPECT_EQ(times[1].in_plan, 0);
  ASSERT_EQ(times[2].conversions.size(), 1U);
  EXPECT_NEAR(times[2].conversions[0], 3.6e-6, 0.7e-6);
  EXPECT_NEAR(times[2].in_plan, 14.4e-6, 2.5e-6);
  EXPECT_NEAR(times[2].repeated, 4e-6, 1e-12);
}

TEST(StepTimes, NameTheWorstFirst) {
  Plan plan;
  plan.steps = {{.call = "a", .seconds = 1e-6}, {.call = "b", .seconds = 1e-6}, {.call = "c"}};
  const std::string text = lost_text(
      plan,
      {{.in_plan = 3e-6, .repeated = 2e-6}, {.conversions = {5e-6, 3e-6}, .in_plan = 1e-6}, {}});
  EXPECT_EQ(text,
            "loses +8.0 us: 1.0 in the plan, 0.0 repeated, 1.0 as measured, 8.0 of conversions "
            "before it: step 2, b\n"
            "loses +2.0 us: 3.0 in the plan, 2.0 repeated, 1.0 as measured, 0.0 of conversions "
            "before it: step 1, a\n");
}

}  // namespace
}  // namespace benanza::plan
