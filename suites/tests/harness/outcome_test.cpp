#include "suites/harness/outcome.h"

#include <gmock/gmock.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "core/results_file/row.h"
#include "suites/harness/keep/result_store.h"
#include "suites/harness/primitive.h"
#include "suites/harness/run/runner.h"

namespace benanza::harness {
namespace {

using Json = nlohmann::json;

/// 1000 flops and 400 bytes in 2, 1, 3 us: median 2 us.
Outcome ok_outcome() {
  return {.status = Status::ok,
          .reason = {},
          .samples = {2e-6, 1e-6, 3e-6},
          .calls_per_sample = 500,
          .workspace_bytes = 4096,
          .timed_seconds = 3e-3,
          .stopped_by = "budget",
          .facts = {{"rank", 2.5}, {"heuristic", true}, {"kernel", "k\"1\""}}};
}

Row ok_row(std::int64_t repetition = 0) {
  return make_row("relu/1x8/fp32/nchw/fake/direct", repetition,
                  {.flops = 1000, .bytes_read = 300, .bytes_written = 100}, ok_outcome());
}

Row refused_row() {
  return make_row("tanh/1x8/fp32/plain/fake/none", 0, {.flops = 8, .bytes_read = 64},
                  {.status = Status::unsupported, .reason = "no \xC3\xA9 \"tanh\""});
}

const Origin origin{.backend = "fake", .system = {{"device", "d"}, {"threads", "2"}}};

Json written(const std::vector<Row>& rows) {
  ResultStore store({}, origin, true);
  for (const Row& row : rows) store.add(row);
  return Json::parse(store.document({"bench_fake", {{"site", "lab"}}}));
}

TEST(ResultsFile, AnOkRowHasEveryFieldOfTheContract) {
  const Json row = written({ok_row()}).at("benchmarks").at(0);
  EXPECT_EQ(row.at("name"), "relu/1x8/fp32/nchw/fake/direct");
  EXPECT_EQ(row.at("run_name"), row.at("name"));
  EXPECT_EQ(row.at("run_type"), "iteration");
  EXPECT_EQ(row.at("iterations"), 1500);
  EXPECT_DOUBLE_EQ(row.at("real_time"), 2);
  EXPECT_EQ(row.at("cpu_time"), row.at("real_time"));
  EXPECT_EQ(row.at("time_unit"), "us");
  EXPECT_EQ(row.at("status"), "ok");
  EXPECT_DOUBLE_EQ(row.at("FLOP/s"), 5e8);
  EXPECT_DOUBLE_EQ(row.at("bytes/s"), 2e8);
  EXPECT_EQ(row.at("FLOPs"), 1000);
  EXPECT_EQ(row.at("bytes"), 400);
  EXPECT_EQ(row.at("workspace_bytes"), 4096);
  EXPECT_EQ(row.at("min"), 1e-6);
  EXPECT_DOUBLE_EQ(row.at("cv"), 0.5);
  EXPECT_EQ(row.at("sample_count"), 3);
  EXPECT_EQ(row.at("calls_per_sample"), 500);
  EXPECT_EQ(row.at("timed_seconds"), 3e-3);
  EXPECT_EQ(row.at("samples"), Json({2e-6, 1e-6, 3e-6}));
  EXPECT_EQ(row.at("stopped_by"), "budget");
  EXPECT_EQ(row.at("rank"), 2.5);
  EXPECT_EQ(row.at("heuristic"), true);
  EXPECT_EQ(row.at("kernel"), "k\"1\"");
  EXPECT_FALSE(row.contains("error_occurred"));
  EXPECT_FALSE(row.contains("reason"));
}

TEST(ResultsFile, ARowWithoutATimeSaysWhyAndStaysReadableByCompare) {
  const Json row = written({refused_row()}).at("benchmarks").at(0);
  EXPECT_EQ(row.at("status"), "unsupported");
  EXPECT_EQ(row.at("reason"), "no \xC3\xA9 \"tanh\"");
  EXPECT_EQ(row.at("error_occurred"), true);
  EXPECT_EQ(row.at("error_message"), "unsupported: no \xC3\xA9 \"tanh\"");
  for (const char* const field : {"iterations", "real_time", "cpu_time"}) {
    EXPECT_EQ(row.at(field), 0) << field;
  }
  EXPECT_EQ(row.at("time_unit"), "us");
  EXPECT_FALSE(row.contains("samples"));
  EXPECT_FALSE(row.contains("FLOP/s"));
}

TEST(MakeRow, AClockThatWasTooLowDisturbsIt) {
  const Outcome slow{.status = Status::ok, .samples = {1e-6}, .facts = {{"throttled", true}}};
  const Row row = make_row("relu/8/fp32/plain/fake/a", 0, {}, slow);
  EXPECT_EQ(row.disturbed, "throttled");
  EXPECT_EQ(row.company, false);
}

TEST(ResultsFile, CountsFamiliesAndRepetitions) {
  const Json rows = written({ok_row(), refused_row(), ok_row(1)}).at("benchmarks");
  EXPECT_EQ(rows.at(0).at("family_index"), 0);
  EXPECT_EQ(rows.at(1).at("family_index"), 1);
  EXPECT_EQ(rows.at(2).at("family_index"), 0);
  EXPECT_EQ(rows.at(0).at("repetitions"), 2);
  EXPECT_EQ(rows.at(1).at("repetitions"), 1);
  EXPECT_EQ(rows.at(2).at("repetition_index"), 1);
}

TEST(ResultsFile, TheContextHoldsTheSystem) {
  const Json context = written({}).at("context");
  for (const char* const field : {"date", "host_name", "num_cpus", "mhz_per_cpu", "caches",
                                  "load_avg", "library_build_type"}) {
    EXPECT_TRUE(context.contains(field)) << field;
  }
  EXPECT_EQ(context.at("executable"), "bench_fake");
  EXPECT_EQ(context.at("site"), "lab");
  EXPECT_EQ(context.at("benanza").at("schema"), 1);
  EXPECT_EQ(context.at("benanza").at("backend"), "fake");
  EXPECT_EQ(context.at("benanza").at("system"), Json({{"device", "d"}, {"threads", "2"}}));
}

TEST(ResultsFile, NoNumberIsNanOrInfinite) {
  Outcome outcome = ok_outcome();
  outcome.timed_seconds = std::numeric_limits<double>::quiet_NaN();
  const Work endless{.flops = std::numeric_limits<double>::infinity(), .bytes_read = 400};
  const Row row = make_row("relu/1x8/fp32/nchw/fake/direct", 0, endless, outcome);
  const Json written_row = written({row}).at("benchmarks").at(0);
  EXPECT_FALSE(written_row.contains("FLOPs"));
  EXPECT_FALSE(written_row.contains("FLOP/s"));
  EXPECT_FALSE(written_row.contains("timed_seconds"));
  EXPECT_TRUE(written_row.contains("bytes/s"));
}

TEST(ResultsFile, ARowReadsBackAsWritten) {
  for (const Row& row : {ok_row(), refused_row()}) {
    const std::string line = row_text(row);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const std::optional<Row> read = RowParser().parse(line);
    ASSERT_TRUE(read) << line;
    EXPECT_EQ(row_text(*read), line);
    EXPECT_EQ(read->samples, row.samples);
    EXPECT_EQ(read->facts, row.facts);
    EXPECT_EQ(read->flops, row.flops);
    EXPECT_EQ(read->reason, row.reason);
  }
}

TEST(ResultsFile, AHeuristicRankIsNoOrdinaryFact) {
  Outcome outcome = ok_outcome();
  outcome.facts["heuristic_rank"] = 2.0;
  const Row row = make_row("relu/1x8/fp32/nchw/fake/direct", 0, {}, outcome);
  EXPECT_EQ(row.heuristic_rank, 2);
  EXPECT_EQ(written({row}).at("benchmarks").at(0).at("heuristic_rank"), 2);
}

// The library would make the call, and compute wrong results.
TEST(MakeRow, OfAKnownDefectSaysSo) {
  const Outcome outcome = caught([]() -> Outcome { throw KnownDefect("misses elements"); });
  EXPECT_EQ(outcome.status, Status::unsupported);
  const Row row = make_row("relu/1x8/fp32/nchw/fake/direct", 0, Work{}, outcome);
  EXPECT_EQ(row.reason, "misses elements");
  EXPECT_TRUE(facts_of(row).contains(known_defect_fact));
}

TEST(MakeRow, OfACrashSaysSoAndOfAHangDoesNot) {
  const auto facts = [](Loss loss) {
    return facts_of(make_row("relu/1x8/fp32/nchw/fake/direct", 0, Work{}, lost(loss)));
  };
  EXPECT_TRUE(facts(Loss::crashed).contains(crashed_fact));
  EXPECT_FALSE(facts(Loss::hung).contains(crashed_fact));
}

}  // namespace
}  // namespace benanza::harness
