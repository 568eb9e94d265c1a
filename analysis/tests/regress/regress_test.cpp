// The gate of benanza-regress, with simulated processes.

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>
#include <random>

#include "analysis/regress/report.h"
#include "analysis/regress/side.h"
#include "analysis/render/junit.h"
#include "analysis/tests/build.h"

namespace benanza::regress {
namespace {

using test::us;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

Row row(const std::string& name, std::vector<double> visits) {
  return {.variant = parse_variant_name(name), .status = Status::ok, .samples = std::move(visits)};
}

/// A library of many ReLUs, measured on a busy machine: every process is slower or faster as a
/// whole (5%) and places each call's memory differently (2%); the noise of a visit (20%) is shared
/// with the next visit of the other process, up to 2%.
class Machine {
 public:
  explicit Machine(unsigned seed, int units = 300) : units_(units), random_(seed) {}

  /// `after` takes `factor` times as long in the ReLU with this number; -1: in all.
  void plant(int unit, double factor) { planted_.emplace_back(unit, factor); }
  /// `after` picks algorithm b for this unit, which takes twice as long as a.
  void pick_other(int unit) { other_ = unit; }
  /// `after` no longer has algorithm a for that unit either.
  void lose_old() { old_is_lost_ = true; }
  /// `after` refuses this unit.
  void refuse(int unit) { refused_ = unit; }

  /// Number of units measured in each round.
  const std::vector<std::size_t>& measured() const { return measured_; }

  RunRound run() {
    return [this](const Round& round) {
      measured_.push_back(round.only.empty() ? static_cast<std::size_t>(units_)
                                             : round.only.size());
      company_ = random_();
      return RowsOfRound{.before = rows(round, false), .after = rows(round, true)};
    };
  }

 private:
  std::vector<Row> rows(const Round& round, bool after) {
    const double whole = std::exp(0.05 * noise_(random_));
    std::mt19937 company(company_);
    std::vector<Row> rows;
    const auto add = [&](const VariantName& variant) {
      const int unit = std::stoi(variant.key.substr(variant.key.find('/') + 1));
      const bool slow = variant.algorithm == "b";
      if (after && unit == refused_) {
        rows.push_back({.variant = variant, .status = Status::unsupported, .reason = "no"});
        return;
      }
      if (after && old_is_lost_ && unit == other_ && !slow) return;
      double seconds = 10 * us * whole * std::exp(0.02 * noise_(random_)) * (slow ? 2 : 1);
      for (const auto& [planted, factor] : planted_) {
        if (after && (planted == unit || planted < 0)) seconds *= factor;
      }
      std::vector<double> visits;
      for (int visit = 0; visit < 10; ++visit) {
        std::normal_distribution<double> met{0, 0.2};
        visits.push_back(seconds * std::exp(met(company) + 0.02 * noise_(random_)));
      }
      rows.push_back(row(to_string(variant), std::move(visits)));
    };
    if (!round.only.empty()) {
      for (const VariantName& variant : round.only) add(variant);
      return rows;
    }
    for (int unit = 0; unit < units_; ++unit) {
      const bool other = after && unit == other_;
      add(parse_variant_name("relu/" + std::to_string(unit) + "/fp32/nchw/fake/" +
                             (other ? "b" : "a")));
    }
    return rows;
  }

  int units_;
  std::mt19937 random_;
  std::normal_distribution<double> noise_{0, 1};
  std::vector<std::pair<int, double>> planted_;
  int other_ = -2;
  bool old_is_lost_ = false;
  int refused_ = -2;
  unsigned company_ = 0;
  std::vector<std::size_t> measured_;
};

std::vector<std::string> units_with(const GateAnswer& answer, Verdict verdict) {
  std::vector<std::string> units;
  for (const Judged& one : answer.judged) {
    if (one.verdict == verdict) units.push_back(one.unit);
  }
  return units;
}

TEST(Gate, StaysOpenWhereNothingChanged) {
  int closed = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    Machine machine(seed);
    closed += judge({}, machine.run()).closes() ? 1 : 0;
  }
  EXPECT_LE(closed, 1);
}

TEST(Gate, FindsWhatIsTenPercentSlower) {
  int found = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    Machine machine(seed);
    machine.plant(17, 1.10);
    const GateAnswer answer = judge({}, machine.run());
    for (const std::string& unit : units_with(answer, Verdict::kernel)) {
      found += unit == "relu/17/fp32/nchw/fake/choice" ? 1 : 0;
    }
  }
  EXPECT_GE(found, 19);
}

TEST(Gate, SaysByHowMuch) {
  Machine machine(1);
  machine.plant(17, 1.20);
  const GateAnswer answer = judge({}, machine.run());
  ASSERT_THAT(units_with(answer, Verdict::kernel), ElementsAre("relu/17/fp32/nchw/fake/choice"));
  const Judged& one = answer.judged.front();
  EXPECT_NEAR(*one.ratio, 1.2, 0.04);
  ASSERT_TRUE(one.interval);
  EXPECT_LT(one.interval->low, 1.2);
  EXPECT_GT(one.interval->high, 1.2);
  EXPECT_EQ(answer.compared, 300U);
}

TEST(Gate, AnotherChoiceOfTheLibraryIsItsHeuristic) {
  Machine machine(1);
  machine.pick_other(5);
  const GateAnswer answer = judge({}, machine.run());
  ASSERT_THAT(units_with(answer, Verdict::heuristic), ElementsAre("relu/5/fp32/nchw/fake/choice"));
  EXPECT_EQ(answer.judged.front().before.variant.algorithm, "a");
  EXPECT_EQ(answer.judged.front().after.variant.algorithm, "b");
  EXPECT_THAT(units_with(answer, Verdict::kernel), IsEmpty());
}

TEST(Gate, WhereTheOldAlgorithmIsGoneItIsTheKernel) {
  Machine machine(1);
  machine.pick_other(5);
  machine.lose_old();
  EXPECT_THAT(units_with(judge({}, machine.run()), Verdict::kernel),
              ElementsAre("relu/5/fp32/nchw/fake/choice"));
}

TEST(Gate, WhatIsRefusedIsLost) {
  Machine machine(1);
  machine.refuse(9);
  const GateAnswer answer = judge({}, machine.run());
  EXPECT_THAT(units_with(answer, Verdict::lost), ElementsAre("relu/9/fp32/nchw/fake/choice"));
  EXPECT_EQ(answer.judged.front().after.reason, "no");
  EXPECT_TRUE(answer.closes());
}

// A slowdown common to all calls is no single call's fault, but still a regression if every pair
// shows it.
TEST(Gate, EverythingSlowerClosesIt) {
  Machine machine(1);
  machine.plant(-1, 1.5);
  const GateAnswer answer = judge({}, machine.run());
  EXPECT_TRUE(answer.all_slower);
  EXPECT_TRUE(answer.closes());
  EXPECT_THAT(units_with(answer, Verdict::kernel), IsEmpty());
  EXPECT_NEAR(answer.drift, 1.5, 0.1);
}

TEST(Gate, FasterDoesNotCloseIt) {
  Machine machine(1);
  machine.plant(17, 0.8);
  const GateAnswer answer = judge({}, machine.run());
  EXPECT_THAT(units_with(answer, Verdict::faster), SizeIs(1));
  EXPECT_FALSE(answer.closes());
}

// Rounds get cheaper: units that are clearly the same are not measured again.
TEST(Gate, SpendsOnWhatIsUndecided) {
  Machine machine(1);
  machine.plant(17, 1.10);
  const GateOptions options;
  judge(options, machine.run());
  ASSERT_GE(machine.measured().size(), 13U);
  EXPECT_EQ(machine.measured().front(), 300U);
  for (std::size_t round = 5; round < machine.measured().size(); ++round) {
    EXPECT_LE(machine.measured()[round], options.controls + 60) << round;
  }
}

// Noise of 2% a place and a tolerance of 1%: 32 rounds do not settle what 128 might.
TEST(Gate, GivesUpWhatLooksEqualAfterManyRounds) {
  const auto spent = [](int hopeless_from) {
    Machine machine(1);
    machine.plant(17, 1.03);
    const GateAnswer answer = judge(
        {.tolerance = 0.01, .looks = {8, 32, 128}, .hopeless_from = hopeless_from}, machine.run());
    EXPECT_THAT(units_with(answer, Verdict::kernel), ElementsAre("relu/17/fp32/nchw/fake/choice"));
    EXPECT_EQ(machine.measured().size(), 5U + 128);
    // Calls measured after the second look.
    return std::accumulate(machine.measured().begin() + 5 + 32, machine.measured().end(),
                           std::size_t{0});
  };
  EXPECT_LT(2 * spent(32), spent(1000));
}

TEST(Timings, OfAChoiceAreThoseOfItsFirstAlgorithm) {
  const std::vector<Row> rows{row("relu/1/fp32/nchw/cudnn/y", {4 * us, 6 * us, 5 * us}),
                              row("relu/1/fp32/nchw/cudnn/x", {1 * us}),
                              row("relu/1/fp32/nhwc/cudnn/x", {3 * us})};
  const Timings timings = timings_of(rows, Unit::choice);
  ASSERT_THAT(timings, SizeIs(2));
  const Timing& nchw = timings.at("relu/1/fp32/nchw/cudnn/choice");
  EXPECT_EQ(nchw.variant.algorithm, "y");
  EXPECT_DOUBLE_EQ(nchw.seconds(), 5 * us);
  EXPECT_THAT(timings_of(rows, Unit::call), SizeIs(3));
}

// The machine became twice as slow between two visits, and a stall hit one visit: neither is the
// new side's fault.
TEST(LogRatio, IsThatOfVisitsThatWereNeighbours) {
  const Timing before{.visits = {1 * us, 1 * us, 2 * us, 2 * us, 2 * us}};
  const Timing after{.visits = {1.1 * us, 1.1 * us, 2.2 * us, 9 * us, 2.2 * us}};
  EXPECT_NEAR(std::exp(log_ratio(before, after)), 1.1, 1e-12);
}

// Calls of 5 ms, with nearly every visit interrupted.
TEST(LogRatio, OfLongCallsIsThatOfTheFastestVisits) {
  const Timing before{.visits = {9e-3, 5e-3, 8e-3, 7e-3}};
  const Timing after{.visits = {8e-3, 10e-3, 5.5e-3, 12e-3}};
  EXPECT_NEAR(std::exp(log_ratio(before, after)), 1.1, 1e-12);
}

TEST(Arguments, OfASecondLookAreTheVariantsAlone) {
  const Measured measured{.backend = "cudnn", .graphs = {"a.graph.json"}};
  EXPECT_THAT(arguments_of(measured, {}), AllOf(testing::Contains("--graph=a.graph.json"),
                                                testing::Contains("--algorithms=best")));
  const Round round{.only = {parse_variant_name("add/1x8_1x8/fp16/nchw/cudnn/op.a")}};
  EXPECT_THAT(
      arguments_of(measured, round),
      ElementsAre("--fresh", "--algorithms=all", "--problem=add/1x8_1x8", "--precision=fp16",
                  R"(--benchmark_filter=^(add/1x8_1x8/fp16/nchw/cudnn/op\.a)$)"));
}

TEST(Reproducer, MeasuresOneSideAlone) {
  const SideOfGate side{.program = "/b/bin/bench_cudnn", .libraries = {"/new/lib"}};
  EXPECT_EQ(
      reproducer(side, {.backend = "cudnn"}, parse_variant_name("add/1x8_1x8/fp16/nchw/cudnn/a")),
      "LD_LIBRARY_PATH=/new/lib /b/bin/bench_cudnn --fresh --algorithms=all "
      "--problem=add/1x8_1x8 --precision=fp16 "
      "'--benchmark_filter=^(add/1x8_1x8/fp16/nchw/cudnn/a)$' --benchmark_repetitions=5");
  // Threads are bound as they were in the gate.
  EXPECT_THAT(reproducer({.program = "/b/bin/bench_onednn"}, {.backend = "onednn"},
                         parse_variant_name("add/1x8_1x8/fp32/nchw/onednn/a")),
              testing::StartsWith("OMP_PROC_BIND=true /b/bin/bench_onednn --fresh"));
}

TEST(Report, NamesRegressionsAndHowToMeasureThemAgain) {
  Machine machine(1);
  machine.plant(17, 1.5);
  const GateOptions options;
  const GateAnswer answer = judge(options, machine.run());
  const Reproducer again = [](const Judged& one) { return "bench & <" + one.unit + ">"; };
  analysis::Page page{.command = "regress", .sections = {gate_section(answer, options, again)}};
  EXPECT_THAT(page_table(page, 100),
              AllOf(HasSubstr("300 compared, tolerance 3%: 0 lost, 1 kernel, 0 heuristic"),
                    HasSubstr("bench & <relu/17")));
  const std::string junit = junit_suite("fake", answer, options, again);
  // Two libraries give two suites in one document.
  EXPECT_THAT(analysis::junit_document(junit + junit),
              testing::MatchesRegex("<\\?xml[^?]*\\?>\n<testsuites>(.|\n)*</testsuites>\n"));
  EXPECT_THAT(junit, AllOf(HasSubstr("failures=\"1\""), HasSubstr("bench &amp; &lt;relu/17"),
                           Not(HasSubstr("bench & <"))));
}

Graph two_convolutions() {
  Graph graph{.model = "net", .batch = 8, .layers = {{.name = "a"}, {.name = "b"}, {.name = "c"}}};
  graph.layers[0].problems = graph.layers[1].problems = {"relu/1x8"};
  graph.fusions = {{.pattern = "add_relu", .layers = {1, 2}, .problem = "add/1x8_1x8_relu"}};
  return graph;
}

TEST(LayerNames, OfAProblemAreThoseOfEveryModel) {
  Graph other = two_convolutions();
  other.model = "old";
  other.batch.reset();
  other.layers[1].problems.clear();
  const LayerNames names({two_convolutions(), other});
  EXPECT_EQ(names.of("relu/1x8"), "net, batch 8: a and 1 more; old: a");
  EXPECT_EQ(names.of("add/1x8_1x8_relu"), "net, batch 8: c; old: c");
  EXPECT_EQ(names.of("relu/1x9"), "");
}

TEST(Report, NamesLayersInAllFormats) {
  GateAnswer answer;
  const Timing timing{.visits = {1e-6}, .variant = parse_variant_name("relu/1x8/fp32/nchw/fake/a")};
  answer.judged = {{.unit = "relu/1x8/fp32",
                    .verdict = Verdict::kernel,
                    .ratio = 1.25,
                    .before = timing,
                    .after = timing},
                   {.unit = "relu/1x8/bf16",
                    .verdict = Verdict::unknown,
                    .ratio = 1.05,
                    .before = timing,
                    .after = timing},
                   {.unit = "relu/1x9/fp32",
                    .verdict = Verdict::faster,
                    .ratio = 0.5,
                    .before = timing,
                    .after = timing}};
  const LayersOf layers = [](std::string_view key) { return "100%: " + std::string(key); };
  const Reproducer again = [](const Judged&) { return "run it"; };
  const analysis::Page page{.command = "regress",
                            .sections = {gate_section(answer, {}, again, {.layers = layers})}};
  EXPECT_THAT(page_text(page, "table", 100), HasSubstr("100%: relu/1x8"));
  EXPECT_THAT(page_text(page, "markdown", 100), HasSubstr("100%: relu/1x8"));
  EXPECT_THAT(junit_suite("fake", answer, {}, again, {.layers = layers}),
              HasSubstr("100%: relu/1x8"));
  EXPECT_EQ(github_annotations("fake", answer, {}, {.layers = layers}),
            "::error title=benanza-regress%2C fake::relu/1x8/fp32: kernel: 1.250 times as long, "
            "tolerance 3%25 (100%25: relu/1x8)\n"
            "::warning title=benanza-regress%2C fake::relu/1x8/bf16: unknown: 1.050 times as long, "
            "tolerance 3%25 (100%25: relu/1x8)\n");
}

}  // namespace
}  // namespace benanza::regress
