// Where a framework loses time: times with the profiler on, beside a latency without it.
#include "analysis/profile_match/comparison.h"

#include <gmock/gmock.h>

#include "analysis/questions/bound/report.h"
#include "analysis/render/text.h"
#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using test::five;
using test::layer;
using test::measured;
using test::us;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Layers a (100 us), b (50 us) and c (20 us), each done by an operator of its own.
struct LossesCase {
  Graph graph{
      .model = "m", .batch = 1, .layers = {layer("a", {}), layer("b", {0}), layer("c", {1})}};
  MeasurementSet set = test::steady({{"a", 100 * us}, {"b", 50 * us}, {"c", 20 * us}});
  Profile profile{.path = "p.json", .framework = "abacus", .model = "m", .precision = "fp32"};

  /// Operators of `seconds`, whose runs differ by 2% either way.
  explicit LossesCase(const std::vector<double>& seconds, std::vector<double> latencies) {
    const char* names[] = {"a", "b", "c"};
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      profile.nodes.push_back({.name = names[i],
                               .origin = names[i],
                               .op = "Relu",
                               .seconds = seconds[i],
                               .range = Interval{seconds[i] * 0.98, seconds[i] * 1.02}});
    }
    profile.latency_seconds = std::move(latencies);
  }
  BoundReport report() const {
    BoundReport made = make_report(graph, set, {}, Movement::exclude);
    made.comparisons = {compare(graph, made.times, made.bounds, profile)};
    return made;
  }
  Losses losses() const { return report().comparisons[0].losses; }
  std::string text() const {
    Page page{.command = "bound"};
    page.sections.push_back(bound_section(report()));
    return page_table(page, 10);
  }
};

// 800 us with the profiler on, 400 without: 600, 160 and 40 us are 300, 80 and 20.
TEST(Losses, AreScaledToTheLatency) {
  const LossesCase given({600 * us, 160 * us, 40 * us}, {400 * us});
  const Losses losses = given.losses();
  EXPECT_DOUBLE_EQ(losses.operator_seconds, 800 * us);
  EXPECT_DOUBLE_EQ(losses.factor, 0.5);
  ASSERT_EQ(losses.list.size(), 3);
  EXPECT_EQ(losses.list[0].node, 0);
  EXPECT_DOUBLE_EQ(losses.list[0].seconds, 300 * us);
  EXPECT_DOUBLE_EQ(losses.list[0].lost_seconds, 200 * us);
  EXPECT_DOUBLE_EQ(losses.list[1].lost_seconds, 30 * us);
  EXPECT_FALSE(losses.list[1].within_noise);
  EXPECT_TRUE(losses.list[2].within_noise);  // 19.6 to 20.4 us beside 20
  const std::string text = given.text();
  EXPECT_THAT(text, AllOf(HasSubstr("operators 0.800 ms in all with the profiler on; their times "
                                    "below are scaled by 0.500, to the latency of 0.400 ms"),
                          HasSubstr("the profiled runs took 2.00 times as long")));
  EXPECT_THAT(text, HasSubstr("  a         Relu  300.0     100.0    200.0  a\n"
                              "  b         Relu   80.0      50.0     30.0  b\n"));
  EXPECT_THAT(text, HasSubstr("left out, within the noise: 1 operator whose time and bound "
                              "overlap, +0.0 us in all"));
}

// 600 and 160 us within 600: the run is no longer than the latency.
TEST(Losses, OfOperatorsThatRunAtTheSameTimeAreNotScaledTwice) {
  LossesCase given({600 * us, 160 * us, 40 * us}, {300 * us});
  given.profile.traced_seconds = 600 * us;
  EXPECT_DOUBLE_EQ(given.losses().factor, 0.5);
  EXPECT_DOUBLE_EQ(given.losses().list[0].seconds, 300 * us);
  EXPECT_THAT(given.text(), HasSubstr("operators 0.800 ms in all within 0.600 ms, several at a "
                                      "time with the profiler on"));
}

// What is not in the operators is not theirs.
TEST(Losses, AreNotScaledUp) {
  const LossesCase given({150 * us, 60 * us, 40 * us}, {400 * us});
  EXPECT_DOUBLE_EQ(given.losses().factor, 1);
  EXPECT_DOUBLE_EQ(given.losses().list[0].lost_seconds, 50 * us);
  EXPECT_THAT(given.text(), AllOf(HasSubstr("operators 0.250 ms in all with the profiler on, 0.150 "
                                            "ms less than the latency: time between them"),
                                  Not(HasSubstr("scaled"))));
}

// Processes of 380 to 420 us: each time may be 5% less. 105 us beside 100 are no loss.
TEST(Losses, WithinTheRangeOfTheLatencyAreNone) {
  LossesCase given({210 * us, 500 * us, 90 * us}, {});
  for (const double seconds : {400 * us, 380 * us, 420 * us, 401 * us, 399 * us}) {
    given.profile.processes.push_back({.latency_seconds = {seconds}});
    given.profile.latency_seconds.push_back(seconds);
  }
  const Losses losses = given.losses();
  EXPECT_DOUBLE_EQ(losses.factor, 0.5);
  EXPECT_EQ(losses.list[0].node, 1);
  EXPECT_FALSE(losses.list[0].within_noise);
  EXPECT_EQ(losses.list[2].node, 0);
  EXPECT_NEAR(losses.list[2].lost_seconds, 5 * us, 1e-12);
  EXPECT_TRUE(losses.list[2].within_noise);
}

// The calls' repetitions: 30 to 70 us.
TEST(Losses, WithinTheRangeOfTheBoundAreNone) {
  LossesCase given({100 * us, 60 * us, 40 * us}, {200 * us});
  given.set = test::steady({{"a", 100 * us}, {"c", 20 * us}});
  given.set.add(
      measured("relu/b/fp32/nchw/onednn/jit", {30 * us, 40 * us, 50 * us, 60 * us, 70 * us}));
  for (const Loss& loss : given.losses().list) {
    EXPECT_EQ(loss.within_noise, loss.node != 2) << loss.node;
  }
}

TEST(Losses, OfOneRunWithoutALatencyAreAsProfiled) {
  LossesCase given({150 * us, 60 * us, 20 * us}, {});
  for (ProfiledNode& node : given.profile.nodes) node.range.reset();
  const Losses losses = given.losses();
  EXPECT_DOUBLE_EQ(losses.factor, 1);
  EXPECT_DOUBLE_EQ(losses.list[0].lost_seconds, 50 * us);
  EXPECT_FALSE(losses.list[0].within_noise);
}

// Two modes: the ratio of each, and the operators beside the faster one.
TEST(Frameworks, OfTwoModesHaveTwoRatios) {
  LossesCase given({190 * us, 95 * us, 55 * us}, {});
  for (const double seconds : {170 * us, 340 * us, 171 * us, 342 * us, 169 * us}) {
    given.profile.processes.push_back({.latency_seconds = {seconds}});
    given.profile.latency_seconds.push_back(seconds);
  }
  const std::string text = given.text();
  EXPECT_THAT(text, AllOf(HasSubstr("0.170 ms  (0.169 to 0.171 between 3 processes), 5 runs"),
                          HasSubstr("5 processes: 0.170, 0.340, 0.171, 0.342, 0.169 ms"),
                          HasSubstr("two modes: 0.170 (3 processes) and 0.341 (2)"),
                          HasSubstr("BR, faster mode  1.000 sequential"),
                          HasSubstr("BR, slower mode  0.499 sequential"),
                          HasSubstr("scaled by 0.500, to the latency of 0.170 ms")));
  const nlohmann::ordered_json facts = bound_section(given.report()).facts["profiles"][0];
  EXPECT_EQ(facts["within_one_process"], false);
  EXPECT_EQ(facts["process_seconds"].size(), 5);
  EXPECT_EQ(facts["modes"][1]["processes"], 2);
  EXPECT_NEAR(facts["modes"][1]["benanza_ratio"]["sequential"].get<double>(), 170.0 / 341, 1e-9);
  EXPECT_DOUBLE_EQ(facts["profiler_factor"], 0.5);
}

TEST(Frameworks, OfOneProcessSaySo) {
  const LossesCase given({100 * us, 50 * us, 20 * us}, std::vector<double>(6, 200 * us));
  EXPECT_THAT(given.text(), AllOf(HasSubstr("(95% within one process: 0.200 to 0.200), 6 runs"),
                                  HasSubstr("BR              0.850 sequential")));
}

}  // namespace
}  // namespace benanza::analysis
