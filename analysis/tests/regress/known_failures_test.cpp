// Lists of public failures, and what results say about them.

#include <gmock/gmock.h>

#include <set>

#include "analysis/regress/known_command.h"
#include "analysis/regress/known_verdicts.h"
#include "analysis/tests/regress/known_failure.h"
#include "core/base/error.h"
#include "core/results_file/row.h"
#include "core/tests/folder.h"

namespace benanza::regress {
namespace {

using test::known_failure;
using testing::HasSubstr;
using testing::SizeIs;

Row row_of(const std::string& algorithm, double seconds) {
  return {.variant = parse_variant_name("relu/8/fp32/any/onednn/" + algorithm),
          .status = Status::ok,
          .samples = {seconds}};
}

VersionResults results_of(const std::string& version, std::vector<Row> rows) {
  return {.backend = "onednn",
          .version = *Version::parse(version),
          .version_text = version,
          .rows = std::move(rows)};
}

std::vector<std::string> verdicts_of(const KnownFailure& one,
                                     const std::vector<VersionResults>& versions) {
  std::vector<std::string> words;
  const std::vector<KnownFailure> failures{one};
  for (const JudgedFailure& judged : judge_failures(failures, versions)) {
    words.emplace_back(to_string(judged.verdict));
  }
  return words;
}

TEST(KnownFailures, WrongResultsAndCrashesAreRows) {
  Row wrong = row_of("jit", 1e-6);
  wrong.status = Status::incorrect;
  wrong.reason = "3 of 8";
  const KnownFailure one = known_failure(Symptom::wrong_result);
  EXPECT_THAT(verdicts_of(one, {results_of("2.6.3", {wrong}), results_of("3.2", {wrong}),
                                results_of("2.7", {wrong}), results_of("2.5", {})}),
              testing::ElementsAre("found", "unreported", "seen", "unknown"));
  EXPECT_THAT(verdicts_of(one, {results_of("2.6.3", {row_of("jit", 1e-6)}),
                                results_of("3.2", {row_of("jit", 1e-6)})}),
              testing::ElementsAre("missed", "quiet"));
  Row refused = wrong;
  refused.status = Status::unsupported;
  EXPECT_THAT(verdicts_of(one, {results_of("2.6.3", {refused})}), testing::ElementsAre("unknown"));
  // A suite that knows the failure does not make the call.
  replace_facts(refused, {{known_defect_fact, true}});
  Row crashed = wrong;
  crashed.status = Status::failed;
  replace_facts(crashed, {{crashed_fact, true}});
  for (const Symptom symptom : {Symptom::wrong_result, Symptom::crash}) {
    for (const Row& row : {refused, wrong, crashed}) {
      EXPECT_THAT(
          verdicts_of(known_failure(symptom), {results_of("2.6.3", {row, row_of("other", 1e-6)})}),
          testing::ElementsAre("found"));
    }
  }
  Row full = wrong;
  full.status = Status::failed;
  full.reason = "out of memory";
  EXPECT_THAT(verdicts_of(known_failure(Symptom::wrong_result), {results_of("2.6.3", {full})}),
              testing::ElementsAre("unknown"));
}

// A kind of problem, of which not every size fails.
TEST(KnownFailures, OfSizesThatTheSourceDoesNotNameAreSeenOrNot) {
  KnownFailure one = known_failure(Symptom::wrong_result);
  one.is_named = false;
  Row wrong = row_of("jit", 1e-6);
  wrong.status = Status::incorrect;
  EXPECT_THAT(
      verdicts_of(one, {results_of("2.6.3", {wrong}), results_of("2.6", {row_of("jit", 1e-6)}),
                        results_of("3.2", {wrong})}),
      testing::ElementsAre("seen", "not seen", "unreported"));
}

// Reference code that is not the fastest harms nobody.
TEST(KnownFailures, ReferenceCodeCountsWhereItIsTheBest) {
  Row reference = row_of("ref", 5e-6);
  reference.reference = true;
  const KnownFailure one = known_failure(Symptom::reference_code);
  EXPECT_THAT(verdicts_of(one, {results_of("2.6.3", {reference}),
                                results_of("3.2", {reference, row_of("jit", 1e-6)})}),
              testing::ElementsAre("found", "quiet"));
}

// A call that merges the batch axes is fast; the model's own runs reference code.
TEST(KnownFailures, ReferenceCodeCountsInCallsAsTheModelHasThem) {
  Row direct = row_of("axes.ref", 5e-6);
  direct.reference = true;
  replace_facts(direct, {{as_in_model_fact, true}});
  VersionResults results = results_of("2.6.3", {row_of("jit", 1e-6)});
  add_direct_rows(results, {direct, row_of("jit", 2e-6)});
  EXPECT_THAT(results.rows, SizeIs(2));
  const Evidence found = evidence(known_failure(Symptom::reference_code), results, {});
  EXPECT_EQ(found.found, true);
  EXPECT_EQ(found.text, "axes.ref");
  Row better = row_of("axes.jit", 3e-6);
  replace_facts(better, {{as_in_model_fact, true}});
  add_direct_rows(results, {better});
  EXPECT_EQ(evidence(known_failure(Symptom::reference_code), results, {}).found, false);
}

// 2.6.3 takes 1.6 times as long as 3.2, which does not have it; 1.05 times is nothing. 1.3 times
// can be the machine's.
TEST(KnownFailures, SlowIsSlowerThanAVersionWithoutIt) {
  const KnownFailure one = known_failure(Symptom::slow);
  EXPECT_THAT(verdicts_of(one, {results_of("2.6.3", {row_of("a", 1.6e-6)}),
                                results_of("3.2", {row_of("a", 2e-6), row_of("b", 1e-6)})}),
              testing::ElementsAre("found", "unknown"));
  EXPECT_THAT(verdicts_of(one, {results_of("2.6.3", {row_of("a", 1.3e-6)}),
                                results_of("3.2", {row_of("b", 1e-6)})}),
              testing::ElementsAre("unknown", "unknown"));
  EXPECT_THAT(verdicts_of(one, {results_of("2.6.3", {row_of("a", 1.05e-6)}),
                                results_of("3.2", {row_of("b", 1e-6)})}),
              testing::ElementsAre("missed", "unknown"));
}

// oneDNN 3 has no Winograd convolutions, which version 2 had and did not choose by itself.
TEST(KnownFailures, AWayThatWasNeverChosenIsNoLoss) {
  Row choice = row_of("a", 2e-6);
  choice.heuristic_rank = 1;
  Row slow_choice = row_of("a", 4e-6);
  slow_choice.heuristic_rank = 1;
  const VersionResults healthy = results_of("3.2", {choice, row_of("winograd", 1e-6)});
  const KnownFailure one = known_failure(Symptom::slow);
  EXPECT_THAT(verdicts_of(one, {results_of("2.6.3", {choice}), healthy}),
              testing::ElementsAre("missed", "unknown"));
  EXPECT_THAT(verdicts_of(one, {results_of("2.6.3", {slow_choice}), healthy}),
              testing::ElementsAre("found", "unknown"));
}

// Results of different times do not tell a slower library from a busier machine.
TEST(KnownFailures, DisturbedTimesProveNothing) {
  Row busy = row_of("a", 3e-6);
  busy.disturbed = "other processes on 1.4 processors";
  EXPECT_THAT(verdicts_of(known_failure(Symptom::slow),
                          {results_of("2.6.3", {busy}), results_of("3.2", {row_of("b", 1e-6)})}),
              testing::ElementsAre("unknown", "unknown"));
}

TEST(KnownFailures, AWorseChoiceIsJudgedWithinOneVersion) {
  Row choice = row_of("a", 2e-6);
  choice.heuristic_rank = 1;
  EXPECT_THAT(
      verdicts_of(known_failure(Symptom::worse_choice),
                  {results_of("2.6.3", {choice, row_of("b", 1e-6)}), results_of("3.2", {choice})}),
      testing::ElementsAre("found", "quiet"));
}

// 0.2 s to set up for 0.01 s; 8 MiB for 1 MiB.
TEST(KnownFailures, ColdStartsAndMemoryHaveLimits) {
  Row slow_start = row_of("a", 1e-6);
  add_fact(slow_start, "setup_seconds", 0.2);
  slow_start.workspace_bytes = 8 << 20;
  Row quick = row_of("a", 1e-6);
  add_fact(quick, "setup_seconds", 0.01);
  quick.workspace_bytes = 1 << 20;
  for (const Symptom symptom : {Symptom::cold_start, Symptom::memory}) {
    EXPECT_THAT(verdicts_of(known_failure(symptom),
                            {results_of("2.6.3", {slow_start}), results_of("3.2", {quick})}),
                testing::ElementsAre("found", "unknown"));
    EXPECT_THAT(verdicts_of(known_failure(symptom),
                            {results_of("2.6.3", {quick}), results_of("3.2", {quick})}),
                testing::ElementsAre("missed", "unknown"));
  }
}

// Either of two calls of equal times may be the fastest; both versions have the one that needs
// least.
TEST(KnownFailures, MemoryIsTheLeastOfNearlyTheFastestCalls) {
  Row large = row_of("a", 1e-6);
  large.workspace_bytes = 8 << 20;
  Row small = row_of("b", 1.01e-6);
  small.workspace_bytes = 0;
  Row slower = row_of("b", 1.2e-6);
  slower.workspace_bytes = 0;
  EXPECT_THAT(verdicts_of(known_failure(Symptom::memory),
                          {results_of("2.6.3", {large, small}), results_of("3.2", {small})}),
              testing::ElementsAre("missed", "unknown"));
  EXPECT_THAT(verdicts_of(known_failure(Symptom::memory),
                          {results_of("2.6.3", {large, slower}), results_of("3.2", {small})}),
              testing::ElementsAre("found", "unknown"));
}

// 1.3 times is too near for times of different moments.
struct Turns {
  KnownFailure one = known_failure(Symptom::slow);
  std::vector<KnownFailure> failures{one};
  std::vector<VersionResults> versions{results_of("2.6.3", {row_of("a", 1.3e-6)}),
                                       results_of("3.2", {row_of("b", 1e-6)})};
  std::vector<JudgedFailure> judged = judge_failures(failures, versions);
  std::vector<TurnsRequest> requests{};

  JudgedFailure decided(TurnsRatios ratios) {
    decide_in_turns(judged, [&](const TurnsRequest& request) {
      requests.push_back(request);
      return ratios;
    });
    return judged.front();
  }
};

TEST(KnownFailures, TurnsDecideWhatTimesOfDifferentMomentsDoNot) {
  Turns turns;
  // After / before: 3.2 takes 0.8 times as long as 2.6.3, which takes 1.25 times as long.
  const JudgedFailure found = turns.decided({{"relu/8", {0.8, Finding::faster, 8}}});
  EXPECT_EQ(found.verdict, KnownVerdict::found);
  EXPECT_EQ(found.evidence.text, "1.25 times the time of 3.2, in 8 rounds of turns");
  ASSERT_THAT(turns.requests, SizeIs(1));
  EXPECT_EQ(turns.requests[0].before, &turns.versions[0]);
  EXPECT_EQ(turns.requests[0].after, &turns.versions[1]);
  EXPECT_THAT(turns.requests[0].keys, testing::ElementsAre("relu/8"));
  EXPECT_EQ(Turns().decided({{"relu/8", {1, Finding::neither, 8}}}).verdict, KnownVerdict::missed);
  EXPECT_EQ(Turns().decided({{"relu/8", {1.2, Finding::slower, 8}}}).verdict, KnownVerdict::missed);
  EXPECT_EQ(Turns().decided({{"relu/8", {0.9, Finding::undecided, 32}}}).verdict,
            KnownVerdict::unknown);
  EXPECT_EQ(Turns().decided({}).verdict, KnownVerdict::unknown);
}

// 1.05 times at different moments is no proof that nothing is slower; a quiet verdict needs none.
TEST(KnownFailures, TurnsConfirmWhatContradictsASource) {
  const std::vector<KnownFailure> failures{known_failure(Symptom::slow)};
  const auto rivals = [&](double before, const char* second) {
    const std::vector<VersionResults> versions{results_of("3.2", {row_of("b", 1e-6)}),
                                               results_of(second, {row_of("a", before)})};
    return judge_failures(failures, versions).back().evidence.rival != nullptr;
  };
  EXPECT_TRUE(rivals(1.05e-6, "2.6.3"));
  EXPECT_FALSE(rivals(1.05e-6, "2.4"));
  EXPECT_TRUE(rivals(1.9e-6, "2.6.3"));
  EXPECT_FALSE(rivals(5e-6, "2.6.3"));
  EXPECT_FALSE(rivals(0.6e-6, "2.6.3"));
}

// 1.9 times at another moment is no alarm: turns are not possible with results of a file.
TEST(KnownFailures, WhatNobodyReportedIsUnknownWithoutTurns) {
  const std::vector<KnownFailure> failures{known_failure(Symptom::slow)};
  const auto verdict = [&](double seconds) {
    const std::vector<VersionResults> versions{results_of("2.4", {row_of("b", 1e-6)}),
                                               results_of("3.2", {row_of("a", seconds)})};
    std::vector<JudgedFailure> judged = judge_failures(failures, versions);
    decide_in_turns(judged, [](const TurnsRequest&) { return TurnsRatios(); });
    return judged.back().verdict;
  };
  EXPECT_EQ(verdict(1.9e-6), KnownVerdict::unknown);
  EXPECT_EQ(verdict(5e-6), KnownVerdict::unreported);
  EXPECT_EQ(verdict(1e-6), KnownVerdict::quiet);
}

// oneDNN's field of the system is "onednn_version", cuDNN's "cudnn".
TEST(KnownFailures, ResultsOfEveryLibraryNameItsVersion) {
  const test::Folder folder;
  const auto version_of = [&](const std::string& backend, const std::string& field) {
    const std::string file = folder.write(
        "results.json", R"({"context": {"benanza": {"schema": 1, "backend": ")" + backend +
                            R"(", "system": {")" + field + R"(": "9.14.0"}}}, "benchmarks": []})");
    return read_version(file).version_text;
  };
  EXPECT_EQ(version_of("onednn", "onednn_version"), "9.14.0");
  EXPECT_EQ(version_of("cudnn", "cudnn"), "9.14.0");
  EXPECT_THROW(version_of("cudnn", "device"), Error);
}

TEST(KnownFailures, RoundsAreTakenUntilEachProblemIsDecided) {
  const auto times = [](double after) {
    int rounds = 0;
    const TurnsRatios ratios = compare_in_turns([&](const Round& round) {
      EXPECT_EQ(round.number, rounds++);
      return RowsOfRound{{row_of("a", 1e-6)}, {row_of("b", after)}};
    });
    EXPECT_EQ(ratios.at("relu/8").rounds, static_cast<std::size_t>(rounds));
    return ratios.at("relu/8");
  };
  EXPECT_EQ(times(1.2e-6).finding, Finding::slower);
  EXPECT_NEAR(times(1.2e-6).ratio, 1.2, 1e-9);
  EXPECT_EQ(times(0.8e-6).finding, Finding::faster);
  EXPECT_EQ(times(1.01e-6).finding, Finding::neither);
  EXPECT_EQ(times(1.01e-6).rounds, 8U);
}

TEST(KnownFailures, WhatAComparisonLacksIsSaid) {
  const KnownFailure one = known_failure(Symptom::slow);
  const VersionResults alone = results_of("2.6.3", {row_of("a", 1e-6)});
  EXPECT_EQ(evidence(one, alone, {}).text,
            "no version without it to compare with: needs one before 2.5 or from 3.0 on");
}

TEST(KnownFailures, CallsThatWereLeftOutAreCounted) {
  Row left = row_of("b", 1e-6);
  left.status = Status::unsupported;
  left.over_limit = true;
  const VersionResults results = results_of("2.6.3", {row_of("a", 1e-6), left});
  EXPECT_EQ(evidence(known_failure(Symptom::reference_code), results, {}).text,
            "a; 1 call left out: --problem-limit");
}

// oneDNN 3.2 splits a product's sums among four threads and leaves a part out.
TEST(KnownFailures, OfManyThreadsOnlyFailuresCount) {
  VersionResults results = results_of("2.6.3", {row_of("a", 1e-6)});
  Row wrong = row_of("a", 9e-6);
  wrong.status = Status::incorrect;
  wrong.reason = "3 of 8";
  add_failing_rows(results, {row_of("b", 1e-7), wrong});
  ASSERT_THAT(results.rows, SizeIs(2));
  EXPECT_EQ(evidence(known_failure(Symptom::wrong_result), results, {}).text,
            "a: 3 of 8 (8 threads)");
}

}  // namespace
}  // namespace benanza::regress
