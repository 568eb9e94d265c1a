// Joules of a model's calls.

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/questions/common/question.h"
#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;
using test::layer;
using test::measured;
using test::ms;
using testing::HasSubstr;

/// Two layers of 10 and 30 ms.
class EnergyQuestion : public testing::Test {
 protected:
  EnergyQuestion() {
    inputs_.graphs = {Graph{.model = "m", .batch = 4, .layers = {layer("a", {}), layer("b", {0})}}};
    inputs_.filters = {{}};
  }
  void add(const std::string& name, double seconds, std::optional<double> joules) {
    Measurement one = measured("relu/" + name + "/fp32/nchw/onednn/jit", {seconds});
    one.joules = joules;
    inputs_.results.measurements.add(std::move(one));
  }
  Page page() const {
    const auto all = questions();
    return page_of("energy", inputs_, std::ranges::find(all, "energy", &Question::name)->section);
  }
  Inputs inputs_;
};

TEST_F(EnergyQuestion, AddsUpTheCallsOfTheBound) {
  add("a", 10 * ms, 2.0);
  add("b", 30 * ms, 3.0);
  const json report = json::parse(page_json(page()))["reports"][0];
  // 5 J in 40 ms.
  EXPECT_DOUBLE_EQ(report["joules"].get<double>(), 5);
  EXPECT_DOUBLE_EQ(report["watts"].get<double>(), 125);
  EXPECT_EQ(report["partial"], false);
  ASSERT_EQ(report["layers"].size(), 2U);
  EXPECT_EQ(report["layers"][0]["layer"], "b");
  EXPECT_DOUBLE_EQ(report["layers"][0]["share"].get<double>(), 0.6);
  EXPECT_DOUBLE_EQ(report["layers"][0]["watts"].get<double>(), 100);
  const std::string text = page_table(page(), 10);
  EXPECT_THAT(text, HasSubstr("5.000 J per run"));
  EXPECT_THAT(text, HasSubstr("1.2500 J"));
}

// The calls one after the other, by bench_* --sequence --energy.
TEST_F(EnergyQuestion, StandsBesideTheEnergyOfTheWhole) {
  add("a", 10 * ms, 2.0);
  add("b", 30 * ms, 3.0);
  inputs_.sequences = {SequenceRun{.model = "m", .batch = 4, .fused = true, .joules = 1.0},
                       SequenceRun{.model = "m", .batch = 4, .joules = 6.25},
                       SequenceRun{.model = "m", .batch = 8, .joules = 9.0}};
  const json report = json::parse(page_json(page()))["reports"][0];
  EXPECT_DOUBLE_EQ(report["sequence_joules"].get<double>(), 6.25);
  EXPECT_DOUBLE_EQ(report["sequence_ratio"].get<double>(), 0.8);
  EXPECT_THAT(page_table(page(), 10),
              HasSubstr("6.250 J, measured as one; the sum above is 0.800"));
}

TEST_F(EnergyQuestion, WhatWasNotMeasuredIsNotZero) {
  add("a", 10 * ms, 2.0);
  add("b", 30 * ms, std::nullopt);
  const json report = json::parse(page_json(page()))["reports"][0];
  EXPECT_DOUBLE_EQ(report["joules"].get<double>(), 2);
  EXPECT_DOUBLE_EQ(report["watts"].get<double>(), 200);
  EXPECT_EQ(report["partial"], true);
  EXPECT_THAT(page_table(page(), 10), HasSubstr("known for 25.0% of the bound's time"));
}

TEST_F(EnergyQuestion, HasNoAnswerWithoutAnyEnergy) {
  add("a", 10 * ms, std::nullopt);
  add("b", 30 * ms, std::nullopt);
  EXPECT_TRUE(page().sections.empty());
}

}  // namespace
}  // namespace benanza::analysis
