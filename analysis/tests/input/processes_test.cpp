// Times of several processes: which rows are of the same one, and what their intervals mean.
#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "analysis/input/results.h"
#include "analysis/model/bounds.h"
#include "analysis/model/spread.h"
#include "analysis/questions/common/subject.h"
#include "analysis/questions/compare/changes.h"
#include "analysis/tests/build.h"
#include "analysis/tests/folder.h"
#include "core/base/file.h"
#include "core/tests/results_text.h"

namespace benanza::analysis {
namespace {

using test::layer;
using test::measured;
using test::measured_in_one_process;
using test::us;
using testing::ElementsAre;
using testing::SizeIs;

const std::string name = "relu/8/fp32/nchw/onednn/jit";

/// A row as a suite writes it.
Row row_of(double microseconds, std::int64_t repetition, std::optional<int> process = {},
           const std::string& variant = name) {
  Row row{.variant = parse_variant_name(variant),
          .repetition = repetition,
          .samples = {microseconds * us}};
  if (process) row.process = *process;
  return row;
}

std::vector<double> process_times(const MeasurementSet& set) {
  std::vector<double> times;
  for (const ProcessValue& one : set.find("relu/8")[0].process_seconds()) {
    times.push_back(std::round(one.value / us * 10) / 10);
  }
  return times;
}

TEST(Processes, RowsThatDoNotNameOneAreOfTheSame) {
  MeasurementSet set;
  for (int repetition = 0; repetition < 5; ++repetition)
    set.add(row_of(1 + repetition, repetition));
  EXPECT_THAT(process_times(set), ElementsAre(3));
}

TEST(Processes, AreGroupedByTheirNumbers) {
  MeasurementSet set;
  set.add(row_of(1, 0, 1));
  set.add(row_of(2, 1, 1));
  set.add(row_of(9, 2, 2));
  EXPECT_THAT(process_times(set), ElementsAre(1.5, 9));
  // Of two, none can be left out.
  EXPECT_DOUBLE_EQ(set.find("relu/8")[0].seconds(), 2 * us);
}

// Two runs of a suite number their processes alike.
TEST(Processes, OfSeveralFilesDiffer) {
  MeasurementSet set;
  for (const std::size_t file : {1U, 2U}) {
    for (int repetition = 0; repetition < 3; ++repetition) {
      set.add(row_of(static_cast<double>(10 * file) + repetition, repetition, repetition + 1),
              file);
    }
  }
  EXPECT_THAT(process_times(set), ElementsAre(10, 11, 12, 20, 21, 22));
}

// A database does not say which file a row is from.
TEST(Processes, OfEqualRepetitionsInOneDatabaseDiffer) {
  MeasurementSet set;
  for (const double night : {10.0, 20.0}) {
    set.add(row_of(night, 0));
    set.add(row_of(night + 2, 1));
  }
  EXPECT_THAT(process_times(set), ElementsAre(11, 21));
}

// The first process of either file measured both calls: their deviations belong together.
TEST(Processes, OfTwoCallsInTwoFilesOfTheSameRunsMeet) {
  const std::string other = "relu/9/fp32/nchw/onednn/jit";
  MeasurementSet set;
  // Files 1 and 2 are of one run, 3 and 4 of another, each with one call.
  set.add(row_of(10, 0, 1), 1);
  set.add(row_of(12, 0, 1, other), 2);
  set.add(row_of(12, 0, 1), 3);
  set.add(row_of(10, 0, 1, other), 4);
  CallSum sum;
  sum.add(set.find("relu/8")[0]);
  sum.add(set.find("relu/9")[0]);
  ASSERT_TRUE(sum.spread().interval);
  // Only what two runs differ by is left, 0.5% of 22.
  EXPECT_NEAR(std::log(sum.spread().interval->high / (22 * us)), 1.959964 * 0.005, 1e-5);
  EXPECT_EQ(sum.spread().processes, 2U);
}

// Company in one of five processes says nothing about the others: one alone would be no interval.
TEST(Processes, WithCompanyCountLikeOthers) {
  MeasurementSet set;
  for (int process = 1; process <= 5; ++process) {
    Row row = row_of(10 + process, process - 1, process);
    if (process != 2) {
      row.disturbed = "steal 12%";
      row.company = true;
    }
    set.add(std::move(row));
  }
  EXPECT_THAT(process_times(set), ElementsAre(11, 12, 13, 14, 15));
  EXPECT_DOUBLE_EQ(set.find("relu/8")[0].company(), 0.8);
}

TEST(Processes, AreReadFromAFile) {
  const test::Folder folder;
  const auto line = [](int repetition, int process, const char* samples) {
    std::string text = test::row(name, samples);
    text.replace(text.find("\"repetition_index\": 0"), 21,
                 "\"repetition_index\": " + std::to_string(repetition) +
                     ", \"process\": " + std::to_string(process));
    return text;
  };
  write_file(folder / "a.json",
             test::results_text(line(0, 1, "[10e-6]") + ',' + line(1, 2, "[12e-6]")));
  write_file(folder / "b.json", test::results_text(line(0, 1, "[14e-6]")));
  const Results results = read_results({folder / "a.json", folder / "b.json"});
  EXPECT_THAT(process_times(results.measurements), ElementsAre(10, 12, 14));
}

Graph two_layers() { return {.model = "m", .layers = {layer("a", {}), layer("b", {0})}}; }

Bounds bounds_of_set(const Graph& graph, const MeasurementSet& set) {
  return bounds(graph, layer_times(graph, set, {}), Movement::exclude);
}

// Repetitions agree within a process and processes do not: 10 and 20, then 12 and 24. The sums are
// 30 and 36, their mean 33, its error 3, with one degree of freedom. With the 0.5% between runs the
// error is 3.00453, the degrees (3.00453 / 3)^4 = 1.00606: t(97.5%) = 12.5268. In logarithms:
// 12.5268 x 3.00453 / 33.
TEST(Processes, ABoundsIntervalIsThatOfTheirSums) {
  MeasurementSet set;
  for (const auto& [key, first, second] : {std::tuple("a", 10.0, 12.0), {"b", 20.0, 24.0}}) {
    for (int repetition = 0; repetition < 10; ++repetition) {
      set.add(row_of(repetition < 5 ? first : second, repetition, repetition < 5 ? 1 : 2,
                     "relu/" + std::string(key) + "/fp32/nchw/onednn/jit"));
    }
  }
  const Bounds found = bounds_of_set(two_layers(), set);
  EXPECT_EQ(found.sequential.processes, 2U);
  EXPECT_NEAR(found.sequential.seconds, 33 * us, 1e-12);
  ASSERT_TRUE(found.sequential.spread && found.parallel.spread);
  EXPECT_NEAR(found.sequential.spread->high, 33 * us * std::exp(12.5268 * 3.00453 / 33), 1e-9);
  EXPECT_NEAR(found.sequential.spread->low, 33 * us * std::exp(-12.5268 * 3.00453 / 33), 1e-10);
  EXPECT_NEAR(found.parallel.spread->high, 33 * us * std::exp(12.5268 * 3.00453 / 33), 1e-9);
}

TEST(Processes, OneAloneIsSaidToBeOne) {
  MeasurementSet set;
  for (const char* const key : {"a", "b"}) {
    set.add(measured_in_one_process("relu/" + std::string(key) + "/fp32/nchw/onednn/jit",
                                    test::five(10 * us)));
  }
  const Bounds found = bounds_of_set(two_layers(), set);
  EXPECT_EQ(found.sequential.processes, 1U);
  EXPECT_TRUE(found.sequential.spread);
}

TEST(Processes, TheTextAndTheJsonSayWhatTheIntervalIs) {
  Bound bound{.seconds = 1e-3, .spread = Interval{0.9e-3, 1.1e-3}, .processes = 5};
  EXPECT_EQ(with_spread(bound), "1.000 ms  (95%: 0.900 to 1.100)");
  EXPECT_EQ(bound_json(bound).at("spread_of_processes"), 5);
  bound.processes = 1;
  EXPECT_EQ(with_spread(bound), "1.000 ms  (95% within one process: 0.900 to 1.100)");
  EXPECT_EQ(bound_json(bound).at("spread_of_processes"), 1);
  bound.spread.reset();
  EXPECT_EQ(with_spread(bound), "1.000 ms  (spread unknown)");
  EXPECT_EQ(bound_json(bound).at("spread_of_processes"), nullptr);
}

// On average, a takes 11 and b 11.33. Without the first or the second process, a takes 11.5 and b
// 11; without the third, a takes 10 and b 12. So 12, 12 and 13 are what the choice takes in the
// process without which it was made: 12.33, and not 11.
TEST(Processes, AChoiceIsJudgedByTheProcessesItWasMadeWithout) {
  MeasurementSet set;
  set.add(measured("relu/a/fp32/nchw/onednn/a", {10 * us, 10 * us, 13 * us}));
  set.add(measured("relu/a/fp32/nchw/onednn/b", {12 * us, 12 * us, 10 * us}));
  const Selected found = select_measurement("relu/a", set, {}, Precision::fp32);
  EXPECT_EQ(found.best->variant.algorithm, "a");
  EXPECT_NEAR(found.luck_seconds, 4 * us / 3, 1e-12);

  const Graph graph{.model = "m", .layers = {layer("a", {})}};
  const Bounds both = bounds_of_set(graph, set);
  MeasurementSet alone;
  alone.add(measured("relu/a/fp32/nchw/onednn/a", {10 * us, 10 * us, 13 * us}));
  const Bounds one = bounds_of_set(graph, alone);
  EXPECT_EQ(both.sequential.seconds, one.sequential.seconds);
  EXPECT_EQ(both.sequential.spread->low, one.sequential.spread->low);
  EXPECT_NEAR(both.sequential.spread->high, one.sequential.spread->high + 4 * us / 3, 1e-12);
  EXPECT_NEAR(both.parallel.spread->high, one.parallel.spread->high + 4 * us / 3, 1e-12);
}

// b is never the faster one: nothing was gained by choosing.
TEST(Processes, AClearChoiceIsNoLuck) {
  MeasurementSet set;
  set.add(measured("relu/a/fp32/nchw/onednn/a", {10 * us, 11 * us, 10 * us}));
  set.add(measured("relu/a/fp32/nchw/onednn/b", {12 * us, 12 * us, 12 * us}));
  EXPECT_NEAR(select_measurement("relu/a", set, {}, Precision::fp32).luck_seconds, 0, 1e-12);
}

// 10, 12, 14, 16 and 18, each in a process: squares 40, variance of the mean 40 / (5 x 4).
TEST(LogTime, OfSeveralProcessesIsTheirSpread) {
  const auto found =
      log_time_of(measured(name, {10 * us, 12 * us, 14 * us, 16 * us, 18 * us}), {.deviation = 5});
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->value, std::log(14 * us), 1e-12);
  EXPECT_NEAR(found->standard_error, std::sqrt(2.0) / 14, 1e-12);
  EXPECT_NEAR(found->degrees, 4, 1e-12);
}

// Times with company: another run has other neighbours.
TEST(LogTime, BesideOtherProgramsIsOfFewerDigits) {
  Measurement crowded = measured(name, test::five(10 * us));
  EXPECT_NEAR(log_time_of(crowded, {})->standard_error, 0, 1e-12);
  crowded.crowded_repetitions = 5;
  EXPECT_NEAR(log_time_of(crowded, {})->standard_error, 0.15, 1e-12);
}

// Its neighbours are not seen: no run is quiet.
TEST(LogTime, OfAVirtualMachineIsOfFewerDigits) {
  Measurement call = measured(name, test::five(10 * us));
  call.virtual_machine = true;
  EXPECT_NEAR(log_time_of(call, {})->standard_error, 0.08, 1e-12);
  CallSum sum;
  sum.add(call);
  // 0.5% of quiet runs, and 8%.
  EXPECT_NEAR(sum.spread().interval->high / (10 * us), std::exp(1.959964 * 0.085), 1e-6);
}

TEST(Rows, SayThatTheyAreOfAVirtualMachine) {
  MeasurementSet set;
  for (const bool is_virtual : {false, true}) {
    Row row{.variant = parse_variant_name(name), .samples = {10 * us}};
    row.virtual_machine = is_virtual;
    set.add(std::move(row), 0);
    EXPECT_EQ(set.find("relu/8")[0].virtual_machine, is_virtual);
  }
}

// Half of the time was measured beside other programs.
TEST(CallSum, KnowsTheShareWithCompany) {
  CallSum sum;
  Measurement call = measured(name, test::five(10 * us));
  sum.add(call);
  call.crowded_repetitions = 5;
  sum.add(call);
  // Degrees without bound: the normal distribution.
  EXPECT_NEAR(sum.spread().interval->high / (20 * us), std::exp(1.959964 * 0.08), 1e-6);
}

// The repetitions are equal, another process would not be: the usual error is all there is.
TEST(LogTime, OfOneProcessIsTheUsualSpread) {
  const auto found = log_time_of(measured_in_one_process(name, test::five(10 * us)),
                                 {.deviation = 0.05, .degrees = 3});
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->standard_error, 0.05, 1e-12);
  EXPECT_NEAR(found->degrees, 3, 1e-9);
  EXPECT_FALSE(log_time_of(measured_in_one_process(name, {10 * us}), {.deviation = 0.05}));
}

TEST(ProcessSpread, IsThatOfTheCallsOfSeveralProcesses) {
  // 99 and 101: the standard deviation is sqrt(2) percent.
  std::vector<Measurement> calls(20, measured(name, {99 * us, 101 * us}));
  std::vector<const Measurement*> pointers;
  for (const Measurement& call : calls) pointers.push_back(&call);
  EXPECT_NEAR(process_spread(pointers, {}).deviation, 0.01 * std::sqrt(2.0), 1e-9);
  pointers.pop_back();  // too few
  EXPECT_EQ(process_spread(pointers, {}).deviation, unknown_process_spread.deviation);
}

TEST(ProcessSpread, IsOtherwiseThatOfTheRatios) {
  // All 10% slower, half of them 2% more and half 2% less: the median distance of a normal variable
  // is 0.67449 standard deviations, its ninth tenth is below 1.64485, and a ratio has two times.
  std::vector<double> ratios;
  for (int i = 0; i < 21; ++i) ratios.push_back(0.1 + (i == 0 ? 0 : i % 2 == 0 ? 0.02 : -0.02));
  EXPECT_NEAR(process_spread({}, ratios).deviation, 0.02 / 0.67449 / std::sqrt(2.0), 1e-6);
  // Three of them 9% away.
  ratios[1] = ratios[3] = 0.01;
  ratios[2] = 0.19;
  EXPECT_NEAR(process_spread({}, ratios).deviation, 0.09 / 1.644854 / std::sqrt(2.0), 1e-6);
  ratios.resize(19);
  EXPECT_EQ(process_spread({}, ratios).deviation, unknown_process_spread.deviation);
}

TEST(ProcessSpread, IsWithinEachPartWhereAPartOfTheCallsHasChanged) {
  std::vector<double> ratios;
  // 31 calls take 30% longer, 29 as long as before; each group is 0.2% wide.
  for (int i = 0; i < 60; ++i) ratios.push_back((i < 31 ? std::log(1.3) : 0) + 0.001 * (i % 3 - 1));
  EXPECT_LT(process_spread({}, ratios).deviation, 0.002);
  // A few calls apart are no part: they may be what another process does.
  for (int i = 0; i < 60; ++i)
    ratios[static_cast<std::size_t>(i)] = (i < 8 ? 0.26 : 0) + 0.001 * (i % 3 - 1);
  EXPECT_GT(process_spread({}, ratios).deviation, 0.1);
}

/// 200 calls: `state` of a process moves all of them, `own` each, `within` every repetition.
MeasurementSet run_of_suite(std::mt19937_64& random, int processes, int repetitions) {
  std::normal_distribution<double> state(0, 0.02);
  std::normal_distribution<double> own(0, 0.02);
  std::normal_distribution<double> within(0, 0.002);
  std::vector<double> states(static_cast<std::size_t>(processes));
  for (double& one : states) one = state(random);
  MeasurementSet set;
  for (int call = 0; call < 200; ++call) {
    for (int process = 0; process < processes; ++process) {
      // A tenth of the calls differ by a lot from process to process.
      const double here =
          states[static_cast<std::size_t>(process)] + own(random) * (call % 10 == 0 ? 5 : 1);
      for (int repetition = 0; repetition < repetitions; ++repetition) {
        set.add(row_of(10 * std::exp(here + within(random)), process * repetitions + repetition,
                       process + 1, "relu/" + std::to_string(call) + "/fp32/nchw/onednn/jit"));
      }
    }
  }
  return set;
}

std::size_t alarms(const Changes& found) {
  const ChangeTotals sum = totals(found.problems);
  return sum.of(ChangeKind::slower) + sum.of(ChangeKind::faster);
}

// Within a process, repetitions agree to 0.2%; another process is off by 2 to 10%.
TEST(Changes, TwoRunsOfOneProgramRaiseNoAlarm) {
  std::mt19937_64 random(5);
  int of_several = 0;
  int of_one = 0;
  for (int run = 0; run < 20; ++run) {
    const MeasurementSet before = run_of_suite(random, 5, 1);
    const MeasurementSet after = run_of_suite(random, 5, 1);
    const auto several = changes(before, after, {}, 0.03);
    EXPECT_FALSE(several.told_from);
    of_several += alarms(several) > 0;
    const MeasurementSet old_process = run_of_suite(random, 1, 5);
    const MeasurementSet new_process = run_of_suite(random, 1, 5);
    const auto one = changes(old_process, new_process, {}, 0.03);
    EXPECT_TRUE(one.told_from);
    of_one += alarms(one) > 0;
  }
  EXPECT_LE(of_several, 1);
  EXPECT_LE(of_one, 1);
}

TEST(Changes, WhatSeveralProcessesShowIsTold) {
  std::mt19937_64 random(6);
  const MeasurementSet before = run_of_suite(random, 5, 1);
  MeasurementSet after = run_of_suite(random, 5, 1);
  const std::string slow = "relu/slow/fp32/nchw/onednn/jit";
  MeasurementSet old = before;
  old.add(measured(slow, {10 * us, 10.2 * us, 9.9 * us, 10.1 * us, 9.8 * us}));
  after.add(measured(slow, {13 * us, 13.2 * us, 12.9 * us, 13.1 * us, 12.8 * us}));
  const auto found = changes(old, after, {}, 0.05);
  EXPECT_EQ(found.problems[0].key, "relu/slow");
  EXPECT_EQ(found.problems[0].kind, ChangeKind::slower);
}

// Equal repetitions, but another process may be 5% off.
TEST(Changes, OneProcessTellsOnlyWhatIsFarApart) {
  const auto ratio_of = [](double after) {
    MeasurementSet old;
    old.add(measured_in_one_process(name, test::five(10 * us)));
    MeasurementSet now;
    now.add(measured_in_one_process(name, test::five(after * us)));
    return changes(old, now, {}, 0.05);
  };
  const auto near = ratio_of(11);
  EXPECT_EQ(near.problems[0].kind, ChangeKind::unknown);
  // One row, 3 degrees of freedom: t(99.5%) = 5.84091, times sqrt(2) 5%, beyond 5%.
  ASSERT_TRUE(near.told_from);
  EXPECT_NEAR(*near.told_from, 1.05 * std::exp(5.84091 * std::sqrt(2.0) * 0.05), 1e-4);
  EXPECT_EQ(ratio_of(15.8).problems[0].kind, ChangeKind::unknown);
  EXPECT_EQ(ratio_of(16).problems[0].kind, ChangeKind::slower);
}

}  // namespace
}  // namespace benanza::analysis
