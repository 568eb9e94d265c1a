// benanza-analyze profile.
#include <nlohmann/json.hpp>

#include "analysis/recordings/flat_profile.h"
#include "analysis/tests/program.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;
using test::expect_error;
using test::Folder;
using test::Outcome;
using test::run_program;
using testing::HasSubstr;
using testing::SizeIs;

ArrivedCall call(const std::string& kind, const std::string& implementation,
                 const std::string& problem, double milliseconds) {
  return {.text = {.source = "onednn",
                   .engine = "cpu",
                   .kind = kind,
                   .implementation = implementation,
                   .prop_kind = "undef",
                   .memory = "src_f32::blocked:ab:f0",
                   .attributes = "attr-scratchpad:user",
                   .problem = problem},
          .milliseconds = milliseconds};
}

/// Two products of 6 and 2 ms and a reorder of 2 ms.
std::filesystem::path recording(const Folder& folder, const std::string& name, double factor = 1) {
  const auto path = folder.path() / name;
  RecordingWriter writer(path, {.command = {"program", "--flag"}, .machine = "a machine"});
  writer.add_library("onednn", "oneDNN v2.6.3");
  writer.add(call("matmul", "brg", "2x3:3x4", 6 * factor));
  writer.add(call("matmul", "gemm", "2x3:3x5", 2 * factor));
  if (factor == 1) writer.add(call("reorder", "jit", "2x3", 2));
  writer.finish(1.5, 0);
  return path;
}

TEST(ProfileProgram, SharesCallsAndMeans) {
  const Folder folder;
  const Outcome outcome =
      run_program("profile " + recording(folder, "run.db").string() + " --format json", folder);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json page = json::parse(outcome.out);
  ASSERT_THAT(page["kinds"], SizeIs(2));
  const json& products = page["kinds"][0];
  EXPECT_EQ(products["call"], "matmul");
  EXPECT_DOUBLE_EQ(products["share"].get<double>(), 0.8);
  EXPECT_DOUBLE_EQ(products["seconds"].get<double>(), 8e-3);
  EXPECT_EQ(products["calls"], 2);
  EXPECT_DOUBLE_EQ(products["mean_seconds"].get<double>(), 4e-3);
  ASSERT_THAT(page["implementations"], SizeIs(3));
  EXPECT_EQ(page["implementations"][0]["call"], "matmul brg");
  EXPECT_EQ(page["calls"][0]["call"], "matmul 2x3:3x4 src_f32::blocked:ab:f0");
  EXPECT_EQ(page["recordings"][0]["run_seconds"], 1.5);
  EXPECT_EQ(page["recordings"][0]["command"], json({"program", "--flag"}));
}

TEST(ProfileProgram, TwoStandSideBySide) {
  const Folder folder;
  const std::string both =
      recording(folder, "a.db").string() + ' ' + recording(folder, "b.db", 0.5).string();
  const json page = json::parse(run_program("profile " + both + " --format json", folder).out);
  EXPECT_DOUBLE_EQ(page["kinds"][0]["seconds_1"].get<double>(), 8e-3);
  EXPECT_DOUBLE_EQ(page["kinds"][0]["seconds_2"].get<double>(), 4e-3);
  EXPECT_EQ(page["kinds"][1]["call"], "reorder");
  EXPECT_TRUE(page["kinds"][1]["seconds_2"].is_null());
}

TEST(ProfileProgram, TextHasAsManyRowsAsAsked) {
  const Folder folder;
  const Outcome outcome =
      run_program("profile " + recording(folder, "run.db").string() + " --rows 2", folder);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("80.0%"));
  EXPECT_THAT(outcome.out, HasSubstr("oneDNN v2.6.3"));
  EXPECT_THAT(outcome.out, HasSubstr("the first 2 of 3"));
  const Outcome csv =
      run_program("profile " + recording(folder, "csv.db").string() + " --format csv", folder);
  EXPECT_THAT(csv.out, HasSubstr("by,share,seconds,calls,mean_seconds,call"));
  EXPECT_THAT(csv.out, HasSubstr("implementations,0.6"));
}

TEST(ProfileProgram, TraceForPerfetto) {
  const Folder folder;
  const auto path = folder.path() / "trace.json";
  const Outcome outcome = run_program(
      "profile " + recording(folder, "run.db").string() + " --perfetto " + path.string(), folder);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json events = json::parse(test::contents(path))["traceEvents"];
  ASSERT_THAT(events, SizeIs(4));
  EXPECT_EQ(events[0]["ph"], "M");
  // 6 ms, then 2 ms: microseconds.
  EXPECT_EQ(events[2]["ph"], "X");
  EXPECT_EQ(events[2]["name"], "matmul");
  EXPECT_DOUBLE_EQ(events[2]["ts"].get<double>(), 6000);
  EXPECT_DOUBLE_EQ(events[2]["dur"].get<double>(), 2000);
  EXPECT_EQ(events[2]["args"]["problem"], "2x3:3x5");
}

TEST(ProfileProgram, ErrorsAreOneLine) {
  const Folder folder;
  expect_error(run_program("profile /no/such.db", folder), "record a program");
  expect_error(run_program("profile /bin/sh", folder), "not a database");
  RecordingWriter(folder.path() / "empty.db", {}).finish(1, 0);
  expect_error(run_program("profile " + (folder.path() / "empty.db").string(), folder),
               "holds no call");
}

}  // namespace
}  // namespace benanza::analysis
