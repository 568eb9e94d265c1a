#include "analysis/questions/common/row_marks.h"

#include <gmock/gmock.h>

#include "core/problem/name.h"

namespace benanza::analysis {
namespace {

/// `members`: as in a file of results.
Row row(std::int64_t repetition, const std::string& members) {
  Row made{.variant = parse_variant_name("relu/8/fp32/plain/onednn/jit"),
           .repetition = repetition,
           .samples = {1e-3}};
  RowParser().add_members(made, members);
  return made;
}

/// A row of relu/8 with this variant.
Row first_choice(const std::string& variant) {
  return {
      .variant = parse_variant_name("relu/8/" + variant), .samples = {1e-3}, .first_choice = true};
}

const Graph marked_graph{
    .model = "m",
    .layers = {{.name = "a", .op = "Relu", .cost = Cost::measured, .problems = {"relu/8"}}}};

MeasurementSet measured(const std::vector<std::string>& facts) {
  MeasurementSet set;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    set.add(row(static_cast<std::int64_t>(i), facts[i]));
  }
  return set;
}

TEST(MeasurementSet, RepetitionsWithCompanyCountOnlyWhereThereIsNoOther) {
  // 8 ms: a thread waited for its time slice.
  const auto timed = [](std::int64_t repetition, double seconds, const std::string& facts) {
    Row one = row(repetition, facts);
    one.samples = {seconds};
    return one;
  };
  const std::string company = R"("disturbed":"other processes on 1.4 processors")";
  const auto only = [](const MeasurementSet& set) { return set.find("relu/8").front(); };
  MeasurementSet set;
  set.add(timed(0, 8e-3, company));
  set.add(timed(1, 9e-3, company));
  EXPECT_THAT(only(set).repetition_seconds, testing::ElementsAre(8e-3, 9e-3));
  EXPECT_EQ(only(set).disturbed_repetitions, 2U);
  set.add(timed(2, 3e-4, R"("disturbed":"power cap")"));
  EXPECT_THAT(only(set).repetition_seconds, testing::ElementsAre(3e-4));
  EXPECT_EQ(only(set).disturbance, "power cap");
  set.add(timed(3, 7e-3, company));
  set.add(timed(4, 4e-4, ""));
  EXPECT_THAT(only(set).repetition_seconds, testing::ElementsAre(3e-4, 4e-4));
  EXPECT_EQ(only(set).disturbed_repetitions, 1U);
}

TEST(Disturbed, CountsRowsOfChosenCallsOnce) {
  const MeasurementSet set =
      measured({R"("disturbed":"power cap")", R"("FLOPs":1)", R"("throttled":true)"});
  const Measurement* const call = &set.find("relu/8").front();
  EXPECT_TRUE(set.any_marked());
  // Two layers share the call.
  const Disturbed sum = disturbed({{.calls = {call}}, {.calls = {call}}, {}});
  EXPECT_EQ(sum.rows, 3U);
  EXPECT_EQ(sum.disturbed, 2U);
  EXPECT_EQ(sum.first, "power cap");
  const std::vector<LayerTime> moved{{.status = LayerStatus::movement, .calls = {call}}};
  EXPECT_EQ(disturbed(moved, Movement::include).disturbed, 2U);
  EXPECT_EQ(disturbed(moved, Movement::exclude).rows, 0U);
}

TEST(FirstChoices, AreThoseBesideWhichNothingIsMeasured) {
  MeasurementSet set;
  set.add(first_choice("fp32/plain/onednn/jit"));
  const auto count = [&] {
    return first_choices({{.calls = {&set.find("relu/8").back()}}}, set).alone;
  };
  EXPECT_TRUE(set.any_marked());
  EXPECT_EQ(count(), 1U);
  // Another library's first choice adds a call that also lacks alternatives.
  set.add(first_choice("fp32/plain/cudnn/legacy"));
  EXPECT_EQ(count(), 1U);
  // A call at another precision says nothing about fp32.
  Row other = first_choice("bf16/plain/onednn/ref");
  other.first_choice = false;
  set.add(other);
  EXPECT_EQ(first_choices({{.calls = {&set.find("relu/8")[2]}}}, set).alone, 1U);
  other.variant = parse_variant_name("relu/8/fp32/plain/onednn/ref");
  set.add(other);
  for (const Measurement& call : set.find("relu/8")) {
    EXPECT_EQ(first_choices({{.calls = {&call}}}, set).alone, 0U) << to_string(call.variant);
  }
}

TEST(FirstChoices, ARepetitionAmongAllAlgorithmsTakesTheMarkAway) {
  MeasurementSet set;
  Row one = first_choice("fp32/plain/onednn/jit");
  set.add(one);
  one.first_choice = false;
  one.repetition = 1;
  set.add(one);
  EXPECT_EQ(first_choices({{.calls = {&set.find("relu/8").front()}}}, set).alone, 0U);
}

TEST(AddRowMarks, SaysWhatRestsOnFirstChoices) {
  MeasurementSet set;
  set.add(first_choice("fp32/plain/onednn/jit"));
  Section section;
  add_row_marks(section, marked_graph, set, {}, Movement::exclude);
  EXPECT_EQ(section.facts.at("first_choice_calls"), 1);
  ASSERT_EQ(section.blocks.size(), 1U);
  EXPECT_EQ(std::get<std::string>(section.blocks.front()),
            "default choices: for 1 of the 1 calls in the bound, only the library's default was "
            "measured (--algorithms best); others may be faster: --algorithms leading or all");
}

TEST(AddRowMarks, OneLineWhereThereAreAny) {
  Section section;
  add_row_marks(section, marked_graph, measured({R"("disturbed":"power cap")", ""}), {},
                Movement::exclude);
  EXPECT_EQ(section.facts.at("disturbed_rows"), 1);
  ASSERT_EQ(section.blocks.size(), 1U);
  EXPECT_EQ(std::get<std::string>(section.blocks.front()),
            "disturbed: 1 of the 2 rows that the bound rests on (power cap), see docs/report.md");
}

TEST(AddRowMarks, NoneWhereThereIsNone) {
  Section section;
  add_row_marks(section, marked_graph, measured({"", R"("measured_again":true)"}), {},
                Movement::exclude);
  EXPECT_EQ(section.facts.at("disturbed_rows"), 0);
  EXPECT_EQ(section.facts.at("first_choice_calls"), 0);
  EXPECT_TRUE(section.blocks.empty());
}

}  // namespace
}  // namespace benanza::analysis
