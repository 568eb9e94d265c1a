#include "suites/nvidia/profiling/profiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/metrics/expression.h"

namespace benanza::nvidia {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(KernelsOfACall, MedianOfEveryPosition) {
  const std::vector<KernelTime> records{{"a", 3},  {"b", 10}, {"a", 1},
                                        {"b", 30}, {"a", 2},  {"b", 20}};
  EXPECT_THAT(kernels_of_a_call(records, 3), ElementsAre(KernelTime{"a", 2}, KernelTime{"b", 20}));
}

TEST(KernelsOfACall, KernelsBesideEachOtherMayBeginInAnyOrder) {
  const std::vector<KernelTime> records{{"a", 3}, {"b", 10}, {"b", 30}, {"a", 1}};
  EXPECT_THAT(kernels_of_a_call(records, 2), ElementsAre(KernelTime{"a", 2}, KernelTime{"b", 20}));
}

TEST(KernelsOfACall, UnequalCallsTellNothing) {
  EXPECT_THAT(kernels_of_a_call({{"a", 1}, {"b", 1}, {"a", 1}}, 2), IsEmpty());
  EXPECT_THAT(kernels_of_a_call({{"a", 1}, {"b", 1}}, 2), IsEmpty());
  EXPECT_THAT(kernels_of_a_call({{"a", 1}, {"b", 1}, {"a", 1}, {"a", 1}}, 2), IsEmpty());
  EXPECT_THAT(kernels_of_a_call({}, 0), IsEmpty());
}

TEST(KernelFacts, NamesInOrderAndTheTimesOfACall) {
  const Facts facts = kernel_facts(
      {{{"splitK", 2e-6}, {"gemm", 3e-6}, {"splitK", 2e-6}, {"gemm", 3e-6}}, 8e-6, 11e-6}, 2);
  EXPECT_EQ(std::get<std::string>(facts.at("kernel_names")), "splitK,gemm");
  EXPECT_DOUBLE_EQ(std::get<double>(facts.at("kernel_seconds")), 4e-6);
  EXPECT_DOUBLE_EQ(std::get<double>(facts.at("kernel_span_seconds")), 5.5e-6);
  EXPECT_TRUE(kernel_facts({{{"a", 1}, {"b", 1}}, 2, 2}, 2).empty());
}

// 1 us, a pause of 0.5 us, and 2 us; another kernel overlaps the last 1.5 us and lasts 0.5 us
// longer.
TEST(KernelRecords, RelativeToTheFirst) {
  constexpr std::uint64_t epoch = 1'800'000'000'000'000'000;
  const KernelRecords records = kernel_records({{epoch, epoch + 1000, "a"},
                                                {epoch + 1500, epoch + 3500, "b"},
                                                {epoch + 2000, epoch + 4000, "a"}});
  ASSERT_EQ(records.kernels.size(), 3U);
  EXPECT_EQ(records.kernels[1].name, "b");
  EXPECT_DOUBLE_EQ(records.kernels[1].seconds, 2e-6);
  EXPECT_DOUBLE_EQ(records.busy_seconds, 3.5e-6);
  EXPECT_DOUBLE_EQ(records.span_seconds, 4e-6);
}

TEST(GraphFacts, MedianOfTheGraphsPerCall) {
  constexpr std::uint64_t epoch = 1'800'000'000'000'000'000;
  const std::vector<Activity> graphs{{epoch, epoch + 3000, ""},
                                     {epoch + 4000, epoch + 5000, ""},
                                     {epoch + 6000, epoch + 8000, ""}};
  EXPECT_DOUBLE_EQ(std::get<double>(graph_facts(graphs, 4).at("graph_seconds")), 0.5e-6);
}

TEST(GraphFacts, NothingOfGraphsThatCuptiDidNotTime) {
  EXPECT_TRUE(graph_facts({{0, 0, ""}}, 4).empty());
  EXPECT_TRUE(graph_facts({}, 4).empty());
  EXPECT_TRUE(graph_facts({{1000, 2000, ""}}, 0).empty());
}

// 0-2, 1-3 and, inside these, 1.5-2.5 cover 3 s; 5-6 covers one more.
TEST(CoveredSeconds, OverlapsCountOnce) {
  EXPECT_DOUBLE_EQ(covered_seconds({{5, 6}, {0, 2}, {1, 3}, {1.5, 2.5}}), 4);
  EXPECT_EQ(covered_seconds({}), 0);
}

TEST(CounterFacts, PackedHalfArithmeticIsNoTensorCore) {
  CounterValues values{{"sm__inst_executed_pipe_tensor_op_hmma.sum", 100},
                       {"sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum", 100},
                       {"sm__inst_executed_pipe_tensor_op_imma.sum", 0}};
  EXPECT_FALSE(std::get<bool>(counter_facts(values).at("tensor_core_counted")));
  values["sm__inst_executed_pipe_tensor_op_gmma.sum"] = 7;
  EXPECT_TRUE(std::get<bool>(counter_facts(values).at("tensor_core_counted")));
  EXPECT_EQ(std::get<double>(counter_facts(values).at("tensor_core_instructions")), 7);
}

TEST(CounterFacts, WhatWasNotCountedStaysUnknown) {
  const Facts facts = counter_facts({{"dram__bytes_read.sum", 4096}});
  EXPECT_EQ(facts.size(), 1U);
  EXPECT_EQ(std::get<double>(facts.at("dram_read_bytes")), 4096);
}

TEST(CounterPlan, OfAnH100NeedsNoGpu) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "CUPTI loads its parts in a way that AddressSanitizer does not allow";
#endif
  std::optional<Cupti> cupti;
  try {
    cupti.emplace();
  } catch (const ProfilerUnavailable& unavailable) {
    GTEST_SKIP() << unavailable.what();
  }
  const CounterPlan plan(*cupti, "GH100", {}, standard_counters());
  EXPECT_EQ(plan.metrics().size(), 10U);
  EXPECT_EQ(plan.passes(), 2U);
  EXPECT_THROW(CounterPlan(*cupti, "no such chip", {}, standard_counters()), ProfilerUnavailable);

  // The predefined metrics consist of counters that the chip has.
  std::vector<std::string> metrics;
  for (const char* const set : {"memory", "compute", "tensor"}) {
    for (std::string& text : gpu_metric_set(set)) metrics.push_back(std::move(text));
  }
  const auto needed = needed_counters({"no_such_counter"}, metrics);
  const CounterPlan more(*cupti, "GH100", {}, needed);
  std::set<std::string> known(more.metrics().begin(), more.metrics().end());
  for (const std::string& name : needed) {
    EXPECT_EQ(known.contains(name), name != "no_such_counter") << name;
  }
  EXPECT_EQ(known.size(), more.metrics().size());
}

TEST(MetricFacts, OfCountersByTheirNames) {
  const Facts facts =
      metric_facts({{"a.sum", 6}, {"b.sum", 4}}, {"a.sum", "c.sum"},
                   {"ratio = a.sum / b.sum", "none = c.sum + 1", "broken = a.sum / (b.sum - 4)"});
  EXPECT_EQ(facts.size(), 2U);
  EXPECT_EQ(std::get<double>(facts.at("counter_a.sum")), 6);
  EXPECT_EQ(std::get<double>(facts.at("metric_ratio")), 1.5);
  EXPECT_EQ(needed_counters({"a"}, {"x = a + b", "y = b / c"}),
            (std::vector<std::string>{"a", "b", "c"}));
}

TEST(CudaProfiler, AddsNothingUnasked) {
  CudaProfiler profiler({});
  int calls = 0;
  const auto count = [&] { return ++calls; };
  EXPECT_TRUE(profiler.facts({.call = count, .replay = count, .recapture = count, .prepare = count})
                  .empty());
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace benanza::nvidia
