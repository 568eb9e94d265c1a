// In which order findings are listed, how many, and with which commands.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>

#include "analysis/tests/questions/findings_case.h"

namespace benanza::analysis {
namespace {

using test::Found;
using test::product_and_relu;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Findings, AreOrderedByGainAndALimitCountsHalf) {
  Found given = product_and_relu();
  given.inputs.results.peaks["onednn"] = {{"peak_fp32_flops_per_second", 1e12 * 2 / 7}};
  // Head-room of at most 3 us counts 1.5; one call for two layers gains 2.
  std::vector<std::string> causes;
  for (const Judged& one : given.all()) causes.push_back(one.finding.cause);
  EXPECT_THAT(causes, ElementsAre("unfused layers", "far from the floor"));
}

TEST(Findings, OfAModelWithNothingToGainAreNone) {
  const Found given = test::three_layers();
  EXPECT_THAT(given.all(), IsEmpty());
  const Points points = given.answer(
      [](const Matter& matter) { return findings_points(matter, findings_of(matter), 0); });
  EXPECT_EQ(points.title,
            "Findings: nothing above 1% of the bound (3% where the spread is not known)");
}

TEST(Findings, NameTheCommandThatThereIs) {
  const Found given = test::three_layers();
  Judged one;
  one.finding.remedy.command = "scripts/bench MODEL.onnx --time all";
  const auto code = [&] {
    return given.answer([&](const Matter& matter) { return findings_points(matter, {one}, 1); })
        .points.at(0)
        .code;
  };
  EXPECT_EQ(code(), "scripts/bench MODEL.onnx --time all");
  setenv("BENANZA_BENCH", "benanza bench", 1);
  EXPECT_EQ(code(), "benanza bench MODEL.onnx --time all");
  unsetenv("BENANZA_BENCH");
}

/// `known` findings of a gain, then `unknown` ones without.
std::vector<Judged> some_findings(std::size_t known, std::size_t unknown) {
  std::vector<Judged> all;
  for (std::size_t i = 0; i < known; ++i) all.push_back({.finding = {.gain_seconds = 1.0}});
  for (std::size_t i = 0; i < unknown; ++i) all.push_back({});
  return all;
}

TEST(Findings, BeginWithSevenOfWhichTwoMayBeOfUnknownGain) {
  const auto shown = [](std::size_t known, std::size_t unknown) {
    const std::vector<Judged> first = first_findings(some_findings(known, unknown));
    const auto gains = std::ranges::count_if(
        first, [](const Judged& one) { return one.finding.gain_seconds.has_value(); });
    return std::pair(static_cast<std::size_t>(gains),
                     first.size() - static_cast<std::size_t>(gains));
  };
  EXPECT_EQ(shown(9, 0), std::pair(std::size_t{7}, std::size_t{0}));
  EXPECT_EQ(shown(9, 3), std::pair(std::size_t{5}, std::size_t{2}));
  EXPECT_EQ(shown(2, 1), std::pair(std::size_t{2}, std::size_t{1}));
}

}  // namespace
}  // namespace benanza::analysis
