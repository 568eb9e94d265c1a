// --algorithms search: from many candidates to the rows of a few.
#include "suites/tests/harness/suite_fixture.h"

namespace benanza::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

struct Search : Suite {
  Finished find(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"--algorithms=search", out_flag()};
    if (more.empty()) more = {"--problem=relu/1x8", "--layout=nchw"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  static std::string name(const std::string& algorithm) {
    return "relu/1x8/fp32/nchw/fake/" + algorithm;
  }
};

// 150 us is near 120, which is near 90, and that is near 60. The next best, direct, takes 100 us:
// it has a row as the library's first choice. Wrong, refused, and six more candidates have none.
TEST_F(Search, FindsTheFastestNeighbourAndKeepsTheFirstChoice) {
  const Finished finished = find();
  EXPECT_EQ(finished.status, 0);
  EXPECT_THAT(names(), ElementsAre(name("direct"), name("step.60")));
  for (const Json& row : rows()) {
    EXPECT_EQ(row.at("status"), "ok");
    EXPECT_EQ(row.at("search_kept"), 2);
    EXPECT_EQ(row.at("search_tried"), 10) << "six listed; 180, 120, 90 and 60";
  }
  EXPECT_THAT(finished.err, HasSubstr("2 variants: 2 ok"));
  EXPECT_THAT(finished.err, HasSubstr("1 search tried 10 calls (1 unsupported, 1 incorrect) in"));
  EXPECT_THAT(finished.out, HasSubstr("60.0 us  nchw/step.60"));
}

TEST_F(Search, WithoutAMarginTheThreeFastestAreKept) {
  EXPECT_EQ(find({"--problem=relu/1x8", "--layout=nchw", "--search-margin=inf"}).status, 0);
  EXPECT_THAT(names(), ElementsAre(name("direct"), name("step.60"), name("step.90")));
}

TEST_F(Search, EveryLayoutHasItsOwn) {
  EXPECT_EQ(find({"--problem=relu/1x8"}).status, 0);
  EXPECT_THAT(names(),
              ElementsAre(name("direct"), name("step.60"), "relu/1x8/fp32/nhwc/fake/direct",
                          "relu/1x8/fp32/nhwc/fake/step.60"));
}

// 200 us is more than 1.3 times 100 us.
TEST_F(Search, WhereAnotherLayoutIsFarAheadNoNeighboursAreTried) {
  EXPECT_EQ(find({"--problem=relu/3x8"}).status, 0);
  for (const Json& row : rows()) {
    const bool is_slow = row.at("name").get<std::string>().find("/nhwc/") != std::string::npos;
    EXPECT_EQ(row.at("search_tried"), is_slow ? 6 : 10) << row.at("name");
  }
  EXPECT_EQ(names().count("relu/3x8/fp32/nchw/fake/step.60"), 1);
  EXPECT_EQ(names().count("relu/3x8/fp32/nhwc/fake/direct"), 1);
}

// The first is tried all the same.
TEST_F(Search, EndsAtItsLimit) {
  const Finished finished = find({"--problem=relu/1x8", "--layout=nchw", "--search-limit=0"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_THAT(names(), ElementsAre(name("direct")));
  EXPECT_EQ(rows()[0].at("search_tried"), 1);
}

// While nothing is ready, the search that began first waits; all are finished in the end.
TEST_F(Search, SeveralGoOnWhileOneWaits) {
  for (const char* const late : {"40", "1000000"}) {
    const Finished finished =
        run_program({.arguments = {"--algorithms=search", out_flag(), "--fresh",
                                   "--problem=relu/1x8", "--problem=relu/2x8", "--layout=nchw"},
                     .environment = {{"FAKE_LATE", late}}});
    EXPECT_EQ(finished.status, 0);
    EXPECT_THAT(names(),
                ElementsAre(name("direct"), name("step.60"), "relu/2x8/fp32/nchw/fake/direct",
                            "relu/2x8/fp32/nchw/fake/step.60"));
    EXPECT_THAT(finished.err, HasSubstr("2 searches tried 20 calls"));
  }
}

TEST_F(Search, AFinishedSearchIsNotMadeAgain) {
  find();
  const std::string before = read_file(file);
  const Finished again = find();
  EXPECT_EQ(again.status, 0);
  EXPECT_THAT(again.err, HasSubstr("2 variants: 2 measured before"));
  EXPECT_THAT(again.err, Not(HasSubstr("tried")));
  EXPECT_EQ(read_file(file), before);
}

TEST_F(Search, FurtherRepetitionsAndProcessesTakeWhatWasFound) {
  const Finished finished =
      find({"--problem=relu/1x8", "--layout=nchw", "--benchmark_repetitions=3", "--processes=3"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_EQ(names().count(name("step.60")), 3);
  EXPECT_EQ(names().count(name("direct")), 3);
  EXPECT_EQ(names().size(), 6);
  EXPECT_THAT(finished.err, HasSubstr("1 search tried 10 calls"));
  EXPECT_THAT(finished.err, HasSubstr("process 3 of 3: 2 of 2 variants: 2 ok"));
}

// Only timing shows that it is wrong: the next best, its neighbour, takes its place.
TEST_F(Search, AWrongWinnerIsReplaced) {
  const Finished finished = find({"--problem=leakyrelu/1x8_a0"});
  EXPECT_EQ(finished.status, 2);
  ASSERT_THAT(names(), ElementsAre("leakyrelu/1x8_a0/fp32/plain/fake/direct",
                                   "leakyrelu/1x8_a0/fp32/plain/fake/step.50.wears-out",
                                   "leakyrelu/1x8_a0/fp32/plain/fake/step.80"));
  EXPECT_EQ(rows()[0].at("status"), "incorrect");
  EXPECT_EQ(rows()[1].at("name"), "leakyrelu/1x8_a0/fp32/plain/fake/step.80");
  EXPECT_EQ(rows()[1].at("search_kept"), 2);
}

TEST_F(Search, WhereNothingWorksTheRowsSayWhy) {
  const Finished finished = find({"--problem=tanh/1x8", "--problem=sigmoid/1x8"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_THAT(names(),
              ElementsAre("sigmoid/1x8/fp32/plain/fake/none", "tanh/1x8/fp32/plain/fake/refused",
                          "tanh/1x8/fp32/plain/fake/throws", "tanh/1x8/fp32/plain/fake/wrong"));
}

TEST_F(Search, ACrashIsARowAndTheNextRunGoesOnWithoutIt) {
  const std::vector<std::string> arguments{"--problem=gelu/1x8", "--problem=relu/1x8",
                                           "--layout=plain,nchw"};
  EXPECT_NE(find(arguments).status, 0);
  EXPECT_NE(find(arguments).status, 0) << "the second algorithm crashes, too";
  EXPECT_EQ(find(arguments).status, 0);
  EXPECT_EQ(names().count("gelu/1x8/fp32/plain/fake/segfault"), 1);
  EXPECT_EQ(names().count("gelu/1x8/fp32/plain/fake/abort"), 1);
  EXPECT_EQ(names().count(name("step.60")), 1);
}

TEST_F(Search, GoesOnByItselfWithoutTheCandidateThatLostTheEngine) {
  const Finished finished =
      find({"--problem=clip/1x8_a0_b6", "--problem=relu/1x8", "--layout=plain,nchw",
            "--benchmark_repetitions=2", "--processes=2", "--fresh"});
  EXPECT_THAT(finished.err, HasSubstr("the device was lost at clip/1x8_a0_b6/fp32/plain/fake/lost; "
                                      "going on without it"));
  EXPECT_EQ(finished.status, 2) << "its row is failed";
  EXPECT_EQ(names().count("clip/1x8_a0_b6/fp32/plain/fake/lost"), 1);
  EXPECT_EQ(names().count(name("step.60")), 2);
}

TEST_F(Search, WithoutAFileALostEngineEndsTheRun) {
  const Finished finished =
      run({"--algorithms=search", "--problem=clip/1x8_a0_b6", "--problem=relu/1x8"});
  EXPECT_EQ(finished.status, 1);
  EXPECT_THAT(finished.err, HasSubstr("start again with the same flags"));
}

TEST_F(Search, GoesOnlyWithWhatItUnderstands) {
  expect_error(run({"--search-margin=1.1"}), "--search-margin goes with --algorithms search");
  expect_error(run({"--search-limit=1"}), "--search-limit goes with --algorithms search");
  expect_error(run({"--algorithms=search", "--search-margin=1"}), "above 1, or inf");
  expect_error(run({"--algorithms=search", "--serve"}), "--serve and --algorithms search");
}

}  // namespace
}  // namespace benanza::harness
