// A product of attention: its scale, and truth values that hide scores.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/problem/name.h"
#include "suites/plan/backends.h"
#include "suites/plan/planned_model.h"
#include "suites/tests/plan/safetensors.h"

namespace benanza::plan {
namespace {

using benanza::test::Folder;

/// s = q k / 2 + m, for m of truth values.
TEST(PlannedModel, ScalesAProductAndHidesScores) {
  int no_flags = 0;
  const Backends backends(no_flags, nullptr);
  const auto call = [&](const std::string& problem, Layout layout) {
    const harness::Variant variant{parse(problem), Precision::fp32, layout, ""};
    return problem + "/fp32/" + std::string(to_string(layout)) + "/onednn/" +
           backends.all().front()->ways(variant, harness::AlgorithmSet::best).front().name;
  };
  const auto tensor = [](const char* name, std::size_t buffer) {
    return PlanTensor{.name = name, .type = "float", .shape = Dims{2, 2}, .buffer = buffer};
  };
  Plan plan{
      .model = "m",
      .precision = "fp32",
      .arena_bytes = 5 * 64,
      .tensors = {tensor("q", 0), tensor("k", 1), tensor("m", 2), tensor("p", 3), tensor("s", 4)},
      .buffers = {},
      .steps = {{.call = call("gemm/m2_n2_k2_nn", Layout::plain),
                 .work = {.problem = "gemm/m2_n2_k2_nn",
                          .operands = {{.index = 0, .scale = 0.5}, {.index = 1}}},
                 .results = {3}},
                {.call = call("add/2x2_2x2", Layout::nchw),
                 .work = {.problem = "add/2x2_2x2", .operands = {{.index = 3}, {.index = 2}}},
                 .results = {4}}},
      .inputs = {0, 1, 2},
      .results = {4}};
  for (std::int64_t index = 0; index < 5; ++index) {
    plan.buffers.push_back({.elements = 4, .bytes = 16, .offset = index * 64, .last = 1});
  }
  plan.tensors[2].hides = true;
  const Folder folder;
  const Values values(test::write_values(folder, "values",
                                         {{"q", {2, 4, 6, 8}},
                                          {"k", {1, 0, 0, 1}},
                                          {"m", {1, 1, 1, 1}},
                                          {"p", {1, 2, 3, 4}},
                                          {"s", {1, 2, 3, 4}}}));
  const auto worst = PlannedModel(plan, backends.all(), &values).check(values, 1e-6);
  ASSERT_TRUE(worst);
  EXPECT_EQ(worst->relative, 0) << worst->tensor;
  const Values hidden(test::write_values(
      folder, "hidden",
      {{"q", {2, 4, 6, 8}}, {"k", {1, 0, 0, 1}}, {"m", {1, 0, 1, 1}}, {"s", {1, 2, 3, 4}}}));
  const auto wrong = PlannedModel(plan, backends.all(), &hidden).check(hidden, 1e-6);
  ASSERT_TRUE(wrong);
  EXPECT_TRUE(std::isinf(wrong->relative)) << "the second score is hidden";
  const float none = -std::numeric_limits<float>::infinity();
  const Values right(test::write_values(
      folder, "right",
      {{"q", {2, 4, 6, 8}}, {"k", {1, 0, 0, 1}}, {"m", {1, 0, 1, 1}}, {"s", {1, none, 3, 4}}}));
  const auto equal = PlannedModel(plan, backends.all(), &right).check(right, 1e-6);
  ASSERT_TRUE(equal);
  EXPECT_EQ(equal->relative, 0) << "nothing is hidden twice";
}

}  // namespace
}  // namespace benanza::plan
