// The program of a suite: command line and rows.
#include "suites/tests/harness/suite_fixture.h"

namespace benanza::harness {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::Pair;
using Json = nlohmann::json;

TEST_F(Suite, ALostEngineEndsTheRunAndTheNextGoesOnWithoutTheVariant) {
  const std::vector<std::string> arguments{"--problem=clip/1x8_a0_b6", "--problem=relu/1x8",
                                           out_flag()};
  const Finished first = run(arguments);
  EXPECT_EQ(first.status, 1);
  EXPECT_THAT(first.err, HasSubstr("lost at clip/1x8_a0_b6/fp32/plain/fake/lost"));
  EXPECT_EQ(names().size(), 1);
  EXPECT_EQ(rows()[0].at("status"), "failed");

  EXPECT_EQ(run(arguments).status, 0);
  EXPECT_EQ(names().count("relu/1x8/fp32/nchw/fake/direct"), 1);
  EXPECT_EQ(names().count("clip/1x8_a0_b6/fp32/plain/fake/lost"), 1);
}

TEST_F(Suite, AnEngineLostWhileItIsTimedKeepsWhatWasFinishedAndNamesTheVariant) {
  const std::vector<std::string> arguments{"--problem=relu/1x8", "--problem=leakyrelu/1x8_a0",
                                           "--problem=relu/2x8", "--layout=nchw,plain", out_flag()};
  const Finished first = run(arguments);
  EXPECT_EQ(first.status, 1);
  EXPECT_THAT(first.err, HasSubstr("the device was lost at "
                                   "leakyrelu/1x8_a0/fp32/plain/fake/lost-later; start again"));
  std::map<std::string, std::string> statuses;
  for (const Json& row : rows()) statuses[row.at("name")] = row.at("status");
  EXPECT_THAT(statuses, ElementsAre(Pair("leakyrelu/1x8_a0/fp32/plain/fake/direct", "ok"),
                                    Pair("leakyrelu/1x8_a0/fp32/plain/fake/lost-later", "failed"),
                                    Pair("relu/1x8/fp32/nchw/fake/direct", "ok"),
                                    Pair("relu/1x8/fp32/nchw/fake/strided", "ok")));

  const Finished second = run(arguments);
  EXPECT_EQ(second.status, 0);
  EXPECT_THAT(second.err, HasSubstr("6 variants: 4 measured before"));
  EXPECT_THAT(second.err, HasSubstr("2 ok"));
  EXPECT_EQ(names().count("leakyrelu/1x8_a0/fp32/plain/fake/lost-later"), 1U);
}

TEST_F(Suite, AnEngineLostWhileItListsAlgorithmsIsAnErrorAndNoRow) {
  expect_error(run({"--problem=linear/1x8_a1_b0", "--problem=relu/1x8", out_flag()}),
               "linear/1x8_a1_b0/fp32/plain/fake/none: illegal address");
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(Suite, AnOperatorTheLibraryLacksIsSkippedUnderCTestAndAnErrorByHand) {
  EXPECT_EQ(run({"--problem=softmax/1x8_a1", "--ctest"}).status, 77);
  expect_error(run({"--problem=softmax/1x8_a1"}), "no benchmark matches");
}

TEST_F(Suite, ListsNamesWithoutSuffixes) {
  const Finished finished = run({"--benchmark_list_tests=true", "--benchmark_filter=1x8.*direct$"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_EQ(finished.out, "relu/1x8/fp32/nchw/fake/direct\nrelu/1x8/fp32/nhwc/fake/direct\n");
}

TEST_F(Suite, TheConsoleShowsTheSameNamesAndTheMedian) {
  const Finished finished = run({"--benchmark_filter=relu/1x8/.*nchw.*direct"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_THAT(finished.out,
              HasSubstr("relu/1x8/fp32/nchw/fake/direct        100 us          100 us"));
  EXPECT_THAT(finished.out, HasSubstr("FLOP/s=80k"));
  EXPECT_THAT(finished.out, Not(HasSubstr("iterations:")));
  EXPECT_THAT(finished.out, Not(HasSubstr("manual_time")));
  EXPECT_THAT(finished.err, HasSubstr("1 variant: 1 ok, 0 unsupported, 0 incorrect, 0 failed"));
  EXPECT_THAT(finished.err, Not(HasSubstr("\033")));  // no progress line in a pipe
  EXPECT_THAT(finished.err, Not(HasSubstr("DEBUG")));
}

TEST_F(Suite, OfManyRowsTheConsoleShowsALineAProblem) {
  const std::vector<std::string> many{"--benchmark_filter=relu/1x8/|sigmoid",
                                      "--benchmark_repetitions=51"};
  const Finished finished = run(many);
  EXPECT_EQ(finished.status, 0);
  EXPECT_THAT(lines(finished.out),
              ElementsAre("relu/1x8  fp32         100.0 us  nchw/direct  (4 variants)",
                          "sigmoid/1x8  fp32          -       (1 variant, 1 unsupported)"));
  std::vector<std::string> asked = many;
  asked.emplace_back("--benchmark_format=console");
  EXPECT_THAT(run(asked).out, HasSubstr("fake/direct_median"));
}

TEST_F(Suite, EveryOutcomeIsARow) {
  const Finished finished = run({out_flag(), "--benchmark_filter=-relu"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_THAT(finished.err, HasSubstr("bench_fake: 4 measurements are incorrect or failed, first "
                                      "tanh/1x8/fp32/plain/fake/wrong"));
  std::map<std::string, std::string> reasons;
  for (const Json& row : rows()) {
    reasons[row.at("name")] = row.at("error_message").get<std::string>();
    EXPECT_EQ(row.at("error_occurred"), true);
  }
  EXPECT_EQ(reasons.size(), 6U);
  EXPECT_THAT(reasons["tanh/1x8/fp32/plain/fake/wrong"], HasSubstr("incorrect: element (0,"));
  EXPECT_EQ(reasons["tanh/1x8/fp32/plain/fake/refused"], "unsupported: not on this device");
  EXPECT_EQ(reasons["tanh/1x8/fp32/plain/fake/throws"], "failed: launch failed (line 3)");
  EXPECT_EQ(reasons["tanh/1x8/fp32/plain/fake/memory"], "failed: out of memory");
  EXPECT_EQ(reasons["sigmoid/1x8/fp32/plain/fake/none"], "unsupported: fake has no sigmoid");
  EXPECT_EQ(reasons["elu/1x8_a1/fp32/plain/fake/none"], "failed: handle lost");
}

TEST_F(Suite, ARefusalAloneIsNoFailure) {
  EXPECT_EQ(run({"--benchmark_filter=sigmoid"}).status, 0);
}

TEST_F(Suite, RepetitionsAreRowsAndARefusalIsOne) {
  const Finished finished = run({out_flag(), "--benchmark_repetitions=3",
                                 "--benchmark_filter=relu/1x8.*nchw.*direct|sigmoid"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_THAT(finished.out, HasSubstr("fake/direct_median"));
  EXPECT_THAT(finished.out, Not(HasSubstr("repeats:")));
  std::vector<int> indices;
  for (const Json& row : rows()) {
    EXPECT_EQ(row.at("run_type"), "iteration");
    if (row.at("status") != "ok") continue;
    indices.push_back(row.at("repetition_index"));
    EXPECT_EQ(row.at("repetitions"), 3);
  }
  EXPECT_THAT(indices, ElementsAre(0, 1, 2));
  EXPECT_EQ(rows().size(), 4U);
}

TEST_F(Suite, RandomInterleavingKeepsRowsApart) {
  run({out_flag(), "--benchmark_repetitions=3", "--benchmark_enable_random_interleaving=true",
       "--benchmark_filter=relu.*direct"});
  std::set<std::pair<std::string, int>> seen;
  for (const Json& row : rows()) seen.emplace(row.at("name"), row.at("repetition_index"));
  EXPECT_EQ(seen.size(), 18U);
  EXPECT_EQ(rows().size(), 18U);
}

TEST_F(Suite, ARepetitionMayFailWhereOthersDidNot) {
  const Finished finished =
      run({out_flag(), "--benchmark_repetitions=4", "--algorithms=with-reference",
           "--benchmark_filter=1x8.*nchw.*ref"});
  EXPECT_EQ(finished.status, 2);
  std::vector<std::string> statuses;
  for (const Json& row : rows()) statuses.push_back(row.at("status"));
  EXPECT_THAT(statuses, ElementsAre("ok", "ok", "failed"));
  EXPECT_THAT(finished.out, HasSubstr("failed: worn out"));
}

TEST_F(Suite, WhatIsOutclassedTwiceIsNotRepeated) {
  run({out_flag(), "--benchmark_repetitions=4", "--benchmark_enable_random_interleaving=false",
       "--benchmark_filter=relu/1x8.*nchw"});
  EXPECT_EQ(names().count("relu/1x8/fp32/nchw/fake/direct"), 4U);
  EXPECT_EQ(names().count("relu/1x8/fp32/nchw/fake/strided"), 2U);
}

TEST_F(Suite, AggregatesOnlyConcernsTheTable) {
  const Finished finished =
      run({out_flag(), "--benchmark_repetitions=3", "--benchmark_report_aggregates_only=true",
           "--benchmark_filter=relu/1x8.*nchw.*direct"});
  EXPECT_THAT(finished.out, HasSubstr("relu/1x8/fp32/nchw/fake/direct_mean "));
  EXPECT_THAT(finished.out, Not(HasSubstr("fake/direct ")));
  EXPECT_EQ(rows().size(), 3U);
}

TEST_F(Suite, MoreRepetitionsRunOnlyWhatIsMissing) {
  const std::string filter = "--benchmark_filter=relu/1x8.*nchw.*direct";
  run({out_flag(), filter});
  const Finished finished = run({out_flag(), filter, "--benchmark_repetitions=3"});
  EXPECT_THAT(finished.err, HasSubstr("2 ok"));
  ASSERT_EQ(rows().size(), 3U);
  EXPECT_EQ(rows().at(2).at("repetition_index"), 2);
  EXPECT_EQ(rows().at(0).at("repetitions"), 3);
}

TEST_F(Suite, JsonOnStdoutIsTheDocument) {
  const Finished finished =
      run({"--benchmark_format=json", "--benchmark_filter=relu/1x8.*nchw.*direct|sigmoid"});
  const Json printed = Json::parse(finished.out);
  EXPECT_EQ(printed.at("benchmarks").size(), 2U);
  EXPECT_EQ(printed.at("context").at("benanza").at("system").at("device"), "fake \"0\"");
}

TEST_F(Suite, CsvHoldsRowsWithAndWithoutATime) {
  const Finished finished =
      run({"--benchmark_format=csv", "--benchmark_filter=sigmoid|relu/1.*ct"});
  const std::vector<std::string> table = lines(finished.out);
  ASSERT_EQ(table.size(), 4U);
  EXPECT_THAT(table[0], HasSubstr("\"FLOP/s\""));
  EXPECT_THAT(table[1], MatchesRegex("\"relu/1x8/fp32/nchw/fake/direct\",[0-9]+,100,100,us.*"));
  EXPECT_THAT(table[3], HasSubstr("unsupported: fake has no sigmoid"));
}

TEST_F(Suite, ColdIsPartOfTheName) {
  run({out_flag(), "--cold", "--benchmark_filter=relu/1x8.*nchw.*direct"});
  ASSERT_EQ(rows().size(), 1U);
  EXPECT_EQ(rows().at(0).at("name"), "relu/1x8/fp32/nchw/fake/direct/cold");
  EXPECT_DOUBLE_EQ(rows().at(0).at("real_time"), 250);
}

TEST_F(Suite, MinTimeRaisesTheBudgetAndSamplesThatLong) {
  run({out_flag(), "--benchmark_min_time=0.5s", "--benchmark_filter=relu/1x8.*nchw.*direct"});
  EXPECT_NEAR(rows().at(0).at("timed_seconds").get<double>(), 0.5, 1e-2);
}

TEST_F(Suite, SmokeTakesTheFirstProblemsAndBestAlgorithms) {
  const Finished finished = run({"--smoke", "--benchmark_list_tests", "--benchmark_filter=relu"});
  EXPECT_EQ(lines(finished.out).size(), 4U);  // 2 problems x 2 layouts
  EXPECT_THAT(finished.out, Not(HasSubstr("strided")));
}

TEST_F(Suite, AProblemOnTheCommandLineReplacesTheTables) {
  const Finished finished =
      run({"--problem=relu/5", "--problem=relu/6", "--layout=nchw", "--algorithms=with-reference",
           "--precision=bf16", "--benchmark_list_tests"});
  EXPECT_EQ(lines(finished.out).size(), 6U);
  EXPECT_THAT(finished.out, HasSubstr("relu/6/bf16/nchw/fake/ref\n"));
}

TEST_F(Suite, PrintsMeasurementsForCTest) {
  const Finished finished = run({"--ctest", "--benchmark_filter=relu/1x8|sigmoid"});
  EXPECT_THAT(finished.out, HasSubstr("<CTestMeasurement type=\"numeric/double\" "
                                      "name=\"ok\">4</CTestMeasurement>\n"));
  EXPECT_THAT(finished.out, HasSubstr("name=\"unsupported\">1<"));
  EXPECT_THAT(finished.out, HasSubstr("name=\"timed_share\">"));
}

TEST_F(Suite, AddsToTheContext) {
  run({out_flag(), "--benchmark_context=site=lab,rack=7", "--benchmark_filter=sigmoid"});
  EXPECT_EQ(document().at("context").at("site"), "lab");
  EXPECT_EQ(document().at("context").at("rack"), "7");
}

// The results include what a backend learns during the run.
TEST_F(Suite, TheContextIsOfTheEnd) {
  run({out_flag(), "--benchmark_filter=relu/1x8.*nchw.*direct"});
  EXPECT_EQ(document().at("context").at("primitives_made"), "1");
}

TEST_F(Suite, HelpShowsBothKindsOfFlags) {
  const Finished finished = run({"--help"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_THAT(finished.out, AllOf(HasSubstr("--smoke"), HasSubstr("--benchmark_filter")));
}

TEST_F(Suite, SaysItsVersionAndThatOfItsLibrary) {
  const Finished finished = run({"--version"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_THAT(finished.out,
              AllOf(testing::StartsWith("bench_fake "), testing::EndsWith("\nlibfake 1.2.3\n")));
}

// Includes those of Google Benchmark's flags that the suite handles itself, and the backend's.
TEST_F(Suite, WritesItsManPage) {
  const Finished finished = run({"--man"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_THAT(finished.out,
              AllOf(testing::StartsWith(".TH BENCH_FAKE 1"), HasSubstr("\\-\\-benchmark_filter"),
                    HasSubstr("\\fB\\-\\-mood\\fR=\\fIMOOD\\fR\nof the library\n")));
}

TEST_F(Suite, FlagsOfTheBackendTakeTheirValueBehindAnEqualsSign) {
  EXPECT_THAT(run({"--help"}).out, HasSubstr("  --mood=MOOD                 of the library\n"));
  expect_error(run({"--mood", "wild"}), "--mood: its value follows after '=': --mood=MOOD");
}

TEST_F(Suite, BadFlagsAreOneLine) {
  expect_error(run({"--frsh"}), "unknown flag \"--frsh\"");
  expect_error(run({"--benchmark_fliter=x"}), "unknown flag \"--benchmark_fliter=x\"");
  expect_error(run({"model.onnx"}), "unknown flag \"model.onnx\"");
  expect_error(run({"--benchmark_filter=("}), "not a regular expression");
  expect_error(run({"--benchmark_filter=nothing"}), "no benchmark matches");
  expect_error(run({"--benchmark_out_format=csv"}), "json only");
  expect_error(run({"--benchmark_format=xml"}), "unknown \"xml\"");
  expect_error(run({"--benchmark_min_time=5x"}), "give seconds");
  expect_error(run({"--benchmark_repetitions=0"}), "--benchmark_repetitions");
  expect_error(run({"--budget=-1"}), "give seconds");
  expect_error(run({"--precision=fp31"}), "unknown \"fp31\"");
  expect_error(run({"--layout=hwc"}), "unknown \"hwc\"");
  expect_error(run({"--algorithms=some"}), "unknown \"some\"");
  expect_error(run({"--problem=relu/0x"}), "relu/0x");
}

}  // namespace
}  // namespace benanza::harness
