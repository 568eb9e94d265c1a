#include "analysis/questions/common/disturbed.h"

#include <gmock/gmock.h>

#include "core/problem/name.h"

namespace benanza::analysis {
namespace {

Row row(std::int64_t repetition, const std::string& facts) {
  return {.variant = parse_variant_name("relu/8/fp32/plain/onednn/jit"),
          .repetition = repetition,
          .samples = {1e-3},
          .facts = facts};
}

MeasurementSet measured(const std::vector<std::string>& facts) {
  MeasurementSet set;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    set.add(row(static_cast<std::int64_t>(i), facts[i]));
  }
  return set;
}

TEST(IsDisturbed, ByItsMarksAlone) {
  EXPECT_TRUE(is_disturbed(row(0, R"("FLOPs":1,"disturbed":"steal 12%")")));
  EXPECT_TRUE(is_disturbed(row(0, R"("throttled":true)")));
  EXPECT_FALSE(is_disturbed(row(0, R"("throttled":false,"measured_again":true)")));
  EXPECT_FALSE(is_disturbed(row(0, R"("kernel_names":"a\"disturbed\":b")")));
}

TEST(Disturbed, CountsRowsOfChosenCallsOnce) {
  const MeasurementSet set =
      measured({R"("disturbed":"power cap")", R"("FLOPs":1)", R"("throttled":true)"});
  const Measurement* const call = &set.find("relu/8").front();
  EXPECT_TRUE(set.any_disturbed());
  // Two layers share the call.
  const Disturbed sum = disturbed({{.calls = {call}}, {.calls = {call}}, {}});
  EXPECT_EQ(sum.rows, 3U);
  EXPECT_EQ(sum.disturbed, 2U);
  EXPECT_EQ(sum.first, "power cap");
  const std::vector<LayerTime> moved{{.status = LayerStatus::movement, .calls = {call}}};
  EXPECT_EQ(disturbed(moved, Movement::include).disturbed, 2U);
  EXPECT_EQ(disturbed(moved, Movement::exclude).rows, 0U);
}

const Graph graph{
    .model = "m",
    .layers = {{.name = "a", .op = "Relu", .cost = Cost::measured, .problems = {"relu/8"}}}};

TEST(AddDisturbed, OneLineWhereThereAreAny) {
  Section section;
  add_disturbed(section, graph, measured({R"("disturbed":"steal 12%")", ""}), {},
                Movement::exclude);
  EXPECT_EQ(section.facts.at("disturbed_rows"), 1);
  ASSERT_EQ(section.blocks.size(), 1U);
  EXPECT_EQ(std::get<std::string>(section.blocks.front()),
            "disturbed: 1 of the 2 rows that the bound rests on (steal 12%), see docs/report.md");
}

TEST(AddDisturbed, NoneWhereThereIsNone) {
  Section section;
  add_disturbed(section, graph, measured({"", R"("measured_again":true)"}), {}, Movement::exclude);
  EXPECT_EQ(section.facts.at("disturbed_rows"), 0);
  EXPECT_TRUE(section.blocks.empty());
}

}  // namespace
}  // namespace benanza::analysis
