#include "suites/harness/results_file.h"

#include <gmock/gmock.h>

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace benanza::harness {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Json = nlohmann::json;

/// 1000 flops and 400 bytes in 2, 1, 3 us: median 2 us.
Row ok_row() {
  return {.name = "relu/1x8/fp32/nchw/fake/direct",
          .repetition = 0,
          .flops = 1000,
          .bytes = 400,
          .outcome = {.status = Status::ok,
                      .reason = {},
                      .samples = {2e-6, 1e-6, 3e-6},
                      .calls_per_sample = 500,
                      .workspace_bytes = 4096,
                      .timed_seconds = 3e-3,
                      .stopped_by = "budget",
                      .facts = {{"rank", 2.5}, {"heuristic", true}, {"kernel", "k\"1\""}}}};
}

Row refused_row() {
  Row row{.name = "tanh/1x8/fp32/plain/fake/none",
          .repetition = 0,
          .flops = 8,
          .bytes = 64,
          .outcome = {}};
  row.outcome.status = Status::unsupported;
  row.outcome.reason = "no \xC3\xA9 \"tanh\"";
  return row;
}

const Source source{"fake", {{"device", "d"}, {"threads", "2"}}};

Json written(const std::vector<Row>& rows) {
  return Json::parse(to_document({source, rows}, {"bench_fake", {{"site", "lab"}}}));
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

TEST(ResultsFile, CountsFamiliesAndRepetitions) {
  Row second = ok_row();
  second.repetition = 1;
  const Json rows = written({ok_row(), refused_row(), second}).at("benchmarks");
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
  Row row = ok_row();
  row.flops = std::numeric_limits<double>::infinity();
  row.outcome.timed_seconds = std::numeric_limits<double>::quiet_NaN();
  const Json written_row = written({row}).at("benchmarks").at(0);
  EXPECT_FALSE(written_row.contains("FLOPs"));
  EXPECT_FALSE(written_row.contains("FLOP/s"));
  EXPECT_FALSE(written_row.contains("timed_seconds"));
  EXPECT_TRUE(written_row.contains("bytes/s"));
}

TEST(ResultsFile, ARowReadsBackAsWritten) {
  for (const Row& row : {ok_row(), refused_row()}) {
    const std::string line = to_line(row);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const std::optional<Row> read = parse_row(line);
    ASSERT_TRUE(read) << line;
    EXPECT_EQ(to_line(*read), line);
    EXPECT_EQ(read->outcome.samples, row.outcome.samples);
    EXPECT_EQ(read->outcome.facts, row.outcome.facts);
    EXPECT_EQ(read->outcome.reason, row.outcome.reason);
  }
}

TEST(ResultsFile, ATornLineIsNoRow) {
  const std::string line = to_line(ok_row());
  for (const std::size_t length : {line.size() - 1, line.size() / 2, std::size_t{1}}) {
    EXPECT_FALSE(parse_row(line.substr(0, length))) << length;
  }
  EXPECT_FALSE(parse_row(""));
  EXPECT_FALSE(parse_row("[1,2]"));
}

TEST(ResultsFile, ADocumentReadsBack) {
  const Results read = parse_document(to_document({source, {ok_row(), refused_row()}}, {}), "r");
  EXPECT_EQ(read.source.backend, "fake");
  EXPECT_EQ(read.source.system, source.system);
  ASSERT_EQ(read.rows.size(), 2U);
  EXPECT_EQ(to_line(read.rows[0]), to_line(ok_row()));
}

/// The message of the Error that `action` throws.
std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ResultsFile, WhatIsNoResultsFileIsRefusedInOneLine) {
  const auto reading = [](const std::string& text) {
    return error_of([&] { parse_document(text, "r.json"); });
  };
  const std::string good = to_document({source, {ok_row()}}, {});
  EXPECT_EQ(reading(good), "no error");
  for (const std::string& text :
       {good.substr(0, good.size() / 2), std::string(), std::string("x")}) {
    EXPECT_THAT(reading(text),
                AllOf(HasSubstr("r.json: not JSON, or cut short"), HasSubstr("--fresh")));
  }
  EXPECT_THAT(reading("{}"), HasSubstr("r.json: not a file of benanza results"));
  std::string later = good;
  later.replace(later.find("\"schema\": 1"), 11, "\"schema\": 9");
  EXPECT_THAT(reading(later), HasSubstr("schema 9"));
}

TEST(ResultsFile, RowsOfTwoSystemsDoNotMix) {
  const auto comparing = [](const Source& found) {
    return error_of([&] { require_same_source(found, source, "r.json"); });
  };
  EXPECT_EQ(comparing(source), "no error");
  EXPECT_THAT(comparing({"fake", {{"device", "d"}, {"threads", "4"}}}),
              AllOf(HasSubstr("r.json: measured with threads = \"4\", now it is \"2\""),
                    HasSubstr("--fresh")));
  EXPECT_THAT(comparing({"fake", {{"device", "d"}}}), HasSubstr("threads = (unknown)"));
  EXPECT_THAT(comparing({"fake", {{"device", "d"}, {"threads", "2"}, {"x", "1"}}}),
              HasSubstr("x = \"1\", now it is (unknown)"));
  EXPECT_THAT(comparing({"other", source.system}), HasSubstr("backend = other"));
}

}  // namespace
}  // namespace benanza::harness
