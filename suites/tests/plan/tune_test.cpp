#include "suites/plan/tune.h"

#include <gtest/gtest.h>

#include "suites/plan/backends.h"
#include "suites/plan/step_times.h"

namespace benanza::plan {
namespace {

/// y = relu(x) of 4 numbers.
struct OneCall {
  int no_flags = 0;
  Backends backends{no_flags, nullptr};
  Plan plan;

  OneCall() {
    const harness::Variant relu{parse("relu/4"), Precision::fp32, Layout::nchw, ""};
    const auto name = backends.all().front()->ways(relu, harness::AlgorithmSet::best).front().name;
    plan = {.model = "m",
            .precision = "fp32",
            .arena_bytes = 128,
            .tensors = {{.name = "x", .type = "float", .shape = Dims{4}, .buffer = 0},
                        {.name = "y", .type = "float", .shape = Dims{4}, .buffer = 1}},
            .buffers = {{.elements = 4, .bytes = 16, .offset = 0},
                        {.elements = 4, .bytes = 16, .offset = 64}},
            .steps = {{.call = "relu/4/fp32/nchw/onednn/" + name,
                       .seconds = 2e-6,
                       .work = {.problem = "relu/4", .operands = {{.index = 0}}},
                       .results = {1}}},
            .inputs = {0},
            .results = {1}};
  }
};

TEST(Tune, LeavesOutCallsThatTheLibraryRefuses) {
  OneCall given;
  given.plan.steps[0].alternatives = {{.call = "relu/4/fp32/nchw/onednn/none", .seconds = 0}};
  const Tuned tuned = tune(given.plan, given.backends.all(), nullptr, 60);
  EXPECT_EQ(tuned.tried, 1);
  EXPECT_EQ(tuned.kept, 0);
  EXPECT_EQ(tuned.plan.steps, given.plan.steps);
  EXPECT_EQ(tuned.plan.seconds, 2e-6) << "of its only call";
  EXPECT_GT(tuned.before, 0);
}

TEST(Tune, HasTimeForNothingWithoutTime) {
  OneCall given;
  given.plan.steps[0].alternatives = {{.call = "relu/4/fp32/nchw/onednn/none", .seconds = 0}};
  EXPECT_EQ(tune(given.plan, given.backends.all(), nullptr, 0).tried, 0);
}

TEST(StepTimes, NameTheWorstFirst) {
  Plan plan;
  plan.steps = {{.call = "a", .seconds = 1e-6}, {.call = "b", .seconds = 1e-6}, {.call = "c"}};
  const std::string text = lost_text(
      plan, {{.in_plan = 3e-6, .repeated = 2e-6}, {.conversions = 8e-6, .in_plan = 1e-6}, {}});
  EXPECT_EQ(text,
            "loses +8.0 us: 1.0 in the plan, 0.0 repeated, 1.0 as measured, 8.0 of conversions "
            "before it: step 2, b\n"
            "loses +2.0 us: 3.0 in the plan, 2.0 repeated, 1.0 as measured, 0.0 of conversions "
            "before it: step 1, a\n");
}

}  // namespace
}  // namespace benanza::plan
