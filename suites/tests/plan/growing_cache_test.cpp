// Caches that are inputs of a plan and grow in place, and calls that read a part of a tensor.
#include <gmock/gmock.h>

#include "core/problem/name.h"
#include "suites/plan/backends.h"
#include "suites/plan/planned_model.h"
#include "suites/tests/plan/safetensors.h"

namespace benanza::plan {
namespace {

using benanza::test::Folder;

/// `new` is two heads' row behind a query of 4; it becomes the third row of either head's cache of
/// three rows of 4, of which y is the relu.
struct GrowingCache {
  int no_flags = 0;
  Backends backends{no_flags, nullptr};
  Plan plan = make_plan();
  std::map<std::string, std::vector<float>> values{
      {"new", {-9, -9, -9, -9, 1, -2, 3, 4, 5, 6, -7, 8}},
      {"past",
       {10, 11, -12, 13, 14, 15, 16, -17, 0, 0, 0, 0, 20, 21, 22, 23, -24, 25, 26, 27, 0, 0, 0, 0}},
      {"present", {10, 11, -12, 13, 14,  15, 16, -17, 1, -2, 3,  4,
                   20, 21, 22,  23, -24, 25, 26, 27,  5, 6,  -7, 8}},
      {"y", {10, 11, 0, 13, 14, 15, 16, 0, 1, 0, 3, 4, 20, 21, 22, 23, 0, 25, 26, 27, 5, 6, 0, 8}}};

  std::string call(const std::string& problem) const {
    harness::Backend& backend = *backends.all().front();
    const harness::Variant variant{parse(problem), Precision::fp32, Layout::plain, ""};
    return problem + "/fp32/plain/onednn/" +
           backend.ways(variant, harness::AlgorithmSet::best).front().name;
  }
  Plan make_plan() const {
    const std::string append = "copy/2x4_f4.1_t12.1";
    return {.model = "m",
            .precision = "fp32",
            .arena_bytes = 256,
            .tensors = {{.name = "new", .type = "float", .shape = Dims{12}, .buffer = 0},
                        {.name = "past", .type = "float", .shape = Dims{2, 3, 4}, .buffer = 1},
                        {.name = "present",
                         .type = "float",
                         .shape = Dims{2, 3, 4},
                         .buffer = 1,
                         .part_of = 1},
                        {.name = "y", .type = "float", .shape = Dims{24}, .buffer = 2}},
            .buffers = {{.elements = 12, .bytes = 48, .offset = 0, .first = 0, .last = 1},
                        {.elements = 24, .bytes = 96, .offset = 64, .first = 0, .last = 1},
                        {.elements = 24, .bytes = 96, .offset = 160, .first = 1, .last = 1}},
            .steps = {{.call = call(append),
                       .work = {.problem = append,
                                .operands = {{.index = 0, .first = 4}},
                                .to_offset = 8,
                                .part = true,
                                .into = 1},
                       .results = {2}},
                      {.call = call("relu/24"),
                       .work = {.problem = "relu/24", .operands = {{.index = 2}}},
                       .results = {3}}},
            .inputs = {0, 1},
            .results = {2, 3}};
  }
};

TEST(GrowingCache, GetsRowsThatArePartOfATensor) {
  GrowingCache given;
  const Folder folder;
  const Values values(test::write_values(folder, "values", given.values));
  PlannedModel planned(given.plan, given.backends.all(), &values);
  const auto worst = planned.check(values, 1e-6);
  ASSERT_TRUE(worst);
  EXPECT_EQ(worst->relative, 0) << worst->tensor;
  given.plan.steps[0].work.operands[0].first = 0;
  const auto wrong = PlannedModel(given.plan, given.backends.all(), &values).check(values, 1e-6);
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->tensor, "present");
}

/// Before a second run is checked, all results are made wrong, but for what the caller put there.
TEST(GrowingCache, KeepsItsEarlierRows) {
  const GrowingCache given;
  const Folder folder;
  const Values values(test::write_values(folder, "values", given.values));
  PlannedModel planned(given.plan, given.backends.all(), &values);
  planned.poison_results();
  const auto poisoned = planned.check_results(values);
  ASSERT_TRUE(poisoned);
  EXPECT_GT(poisoned->relative, 0);
  planned.run();
  const auto worst = planned.check_results(values);
  ASSERT_TRUE(worst);
  EXPECT_EQ(worst->relative, 0) << worst->tensor;
}

}  // namespace
}  // namespace benanza::plan
