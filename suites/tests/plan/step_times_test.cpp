#include "suites/plan/step_times.h"

#include <gtest/gtest.h>

namespace benanza::plan {
namespace {

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
