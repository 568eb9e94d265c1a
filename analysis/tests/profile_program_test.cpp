// benanza-analyze profile.
#include <fstream>
#include <nlohmann/json.hpp>

#include "analysis/tests/program.h"
#include "core/base/sqlite.h"
#include "record/views/flat_profile.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;
using test::expect_error;
using test::Folder;
using test::Outcome;
using test::run_program;
using testing::HasSubstr;
using testing::Not;
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

TEST(ProfileProgram, ReadsAnExportOfNsightSystems) {
  const Folder folder;
  const auto path = folder.path() / "nsys.sqlite";
  sqlite::Connection(path, sqlite::Connection::Mode::write).execute(R"(
CREATE TABLE StringIds(id INTEGER, value TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER,
  correlationId INTEGER, shortName INTEGER);
INSERT INTO StringIds VALUES(1, 'gemm');
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(1000, 6000, 0, 7, 1, 1), (7000, 12000, 0, 7, 2, 1);
)");
  const Outcome outcome = run_program("profile " + path.string(), folder);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("export of Nsight Systems"));
  EXPECT_THAT(outcome.out, HasSubstr("gemm"));
  EXPECT_THAT(outcome.out, HasSubstr("0.010"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("recorder")));
}

// 6 of 8 ms in reference code.
TEST(ProfileProgram, NamesReferenceCodeOfALog) {
  const Folder folder;
  const auto path = folder.path() / "log.db";
  {
    RecordingWriter writer(path, {});
    writer.add(call("matmul", "ref:any", "2x3:3x4", 6));
    writer.add(call("matmul", "brg:avx512_core", "2x3:3x5", 2));
    writer.flush();
  }
  const Outcome outcome = run_program("profile " + path.string(), folder);
  EXPECT_THAT(outcome.out, HasSubstr("75.0% of the library's time, 6.000 ms, most in matmul"));
  EXPECT_THAT(outcome.out, HasSubstr("not known: a log is all there is of it"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("program's end")));
  EXPECT_THAT(run_program("profile " + recording(folder, "run.db").string(), folder).out,
              Not(HasSubstr("reference code")));
}

// Five steps: of 20 ms in all, 5 in a reorder of the convolution's weights.
TEST(ProfileProgram, WeightsThatAreReorderedInEveryStepAreAFinding) {
  const Folder folder;
  const auto path = folder.path() / "run.db";
  {
    RecordingWriter writer(path, {.command = {"python", "serve.py"}});
    for (int step = 0; step < 5; ++step) {
      ArrivedCall weights = call("reorder", "jit:uni", "64x32x3x3", 1);
      weights.text.memory = "src_f32::blocked:abcd:f0 dst_f32::blocked:ABcd16b16a:f0";
      writer.add(weights);
      ArrivedCall convolution = call("convolution", "jit:avx512_core",
                                     "mb1_ic32oc64_ih8oh8kh3sh1dh0ph1_iw8ow8kw3sw1dw0pw1", 3);
      convolution.text.memory =
          "src_f32::blocked:aBcd16b:f0 wei_f32::blocked:ABcd16b16a:f0 dst_f32::blocked:aBcd16b:f0";
      writer.add(convolution);
    }
    writer.flush();
  }
  const Outcome outcome = run_program("profile " + path.string(), folder);
  EXPECT_THAT(outcome.out, HasSubstr("1. weight reorders: 5.000 ms, 25.0% of the library's time"));
  const json page =
      json::parse(run_program("profile " + path.string() + " --format json", folder).out);
  EXPECT_EQ(page["recordings"][0]["weight_reorders"]["calls"], 5);
  EXPECT_THAT(run_program("profile " + recording(folder, "other.db").string(), folder).out,
              Not(HasSubstr("What would help")));
}

TEST(ProfileProgram, SaysHowToExportAReport) {
  const Folder folder;
  expect_error(run_program("profile " + test::data("traces/report.nsys-rep").string(), folder),
               "nsys export --type sqlite");
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

TEST(ProfileProgram, CountersAreMeansOfALaunch) {
  const Folder folder;
  const auto path = folder.path() / "counted.db";
  {
    RecordingWriter writer(path, {.command = {"program"}});
    writer.add_kernel_metric("per_cycle", "instructions.sum / cycles.sum");
    writer.add_kernel_metric("hit.pct", "hit.pct");
    std::uint64_t launch = 0;
    const auto add = [&](const char* kernel, double instructions, double cycles, double hit,
                         double nanoseconds) {
      ++launch;
      for (const auto& [counter, value] : {std::pair{"instructions.sum", instructions},
                                           {"cycles.sum", cycles},
                                           {"hit.pct", hit},
                                           {"gpu__time_duration.sum", nanoseconds}}) {
        writer.add(
            1, 0,
            CounterEvent{.launch = launch, .kernel = kernel, .counter = counter, .value = value});
      }
    };
    add("small", 10, 0, 50, 1000);
    add("large", 100, 100, 10, 4000);
    add("large", 300, 900, 30, 6000);
    writer.finish(1, 0);
  }
  const Outcome outcome = run_program("profile " + path.string() + " --format json", folder);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json kernels = json::parse(outcome.out)["kernel_counters"];
  ASSERT_THAT(kernels, SizeIs(2));
  EXPECT_EQ(kernels[0]["kernel"], "large");
  EXPECT_EQ(kernels[0]["launches"], 2);
  EXPECT_DOUBLE_EQ(kernels[0]["seconds"].get<double>(), 10e-6);
  // 400 / 1000, not the mean of 1 and 1/3.
  EXPECT_DOUBLE_EQ(kernels[0]["per_cycle"].get<double>(), 0.4);
  EXPECT_DOUBLE_EQ(kernels[0]["hit.pct"].get<double>(), 20);
  EXPECT_EQ(kernels[1]["launches"], 1);
  EXPECT_TRUE(kernels[1]["per_cycle"].is_null());
}

TEST(ProfileProgram, MemoryHasItsPeakAndACurve) {
  const Folder folder;
  const auto path = folder.path() / "held.db";
  {
    RecordingWriter writer(path, {.command = {"program"}});
    writer.add(1, 0, ClockEvent{});
    writer.add(1, 0, KernelEvent{.at = {.start = 1, .end = 2}, .name = "k"});
    writer.add(1, 0,
               MemoryEvent{.time = 500'000'000, .kind = "device", .address = 8, .bytes = 4096});
    writer.add(1, 0,
               MemoryEvent{.time = 600'000'000, .is_freed = true, .kind = "device", .address = 8});
    writer.finish(1, 0);
  }
  const auto page = folder.path() / "page.html";
  const auto trace = folder.path() / "trace.json";
  const Outcome outcome = run_program("profile " + path.string() + " --format json --html " +
                                          page.string() + " --perfetto " + trace.string(),
                                      folder);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json memory = json::parse(outcome.out)["memory"];
  ASSERT_THAT(memory, SizeIs(1));
  EXPECT_EQ(memory[0]["kind"], "device");
  EXPECT_EQ(memory[0]["peak_bytes"], 4096);
  EXPECT_EQ(memory[0]["peak_seconds"], 0.5);
  EXPECT_EQ(memory[0]["last_bytes"], 0);
  const auto text = [](const std::filesystem::path& file) {
    std::ifstream stream(file);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  EXPECT_THAT(text(page), HasSubstr("Memory held on GPUs"));
  EXPECT_THAT(text(trace), HasSubstr(R"("ph":"C","ts":500000.0)"));
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
  // 6 ms, then 2 ms, in microseconds.
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
               "contains no calls");
}

/// A kernel of 10 us, launched from a range; a copy of 4 MB in 30 us that overlaps nothing.
std::filesystem::path gpu_recording(const Folder& folder) {
  const auto path = folder.path() / "gpu.db";
  RecordingWriter writer(path, {.command = {"program"}, .start = 0.0, .machine = "a machine"});
  const auto add = [&](const Event& event) { writer.add(5, 0.0, event); };
  add(ClockEvent{});
  add(DeviceEvent{.id = 0, .name = "H200"});
  add(MarkerEvent{
      .kind = MarkerEvent::Kind::begin, .id = 1, .time = 0, .thread = 6, .name = "step"});
  add(MarkerEvent{.kind = MarkerEvent::Kind::end, .id = 1, .time = 9'000, .thread = 6});
  add(ApiEvent{
      .name = "cudaLaunchKernel", .start = 1'000, .end = 5'000, .thread = 6, .correlation = 1});
  add(KernelEvent{.at = {.start = 10'000, .end = 20'000, .stream = 7, .correlation = 1},
                  .name = "nvjet_hsh"});
  add(CopyEvent{.at = {.start = 20'000, .end = 50'000, .stream = 7, .correlation = 2},
                .direction = "host to device",
                .bytes = 4'000'000});
  writer.finish(1.5, 0);
  return path;
}

TEST(ProfileProgram, WhatGpusDo) {
  const Folder folder;
  const std::string file = gpu_recording(folder).string();
  const auto trace = folder.path() / "trace.json";
  const Outcome outcome =
      run_program("profile " + file + " --format json --perfetto " + trace.string() + " --tau " +
                      folder.path().string() + "/tau",
                  folder);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json page = json::parse(outcome.out);
  ASSERT_THAT(page["gpu_kernels"], SizeIs(1));
  EXPECT_EQ(page["gpu_kernels"][0]["call"], "nvjet_hsh");
  EXPECT_DOUBLE_EQ(page["gpu_kernels"][0]["seconds"].get<double>(), 10e-6);
  EXPECT_DOUBLE_EQ(page["gpu_copies"][0]["bytes_per_second"].get<double>(), 4e6 / 30e-6);
  EXPECT_DOUBLE_EQ(page["gpu_ranges"][0]["gpu_seconds"].get<double>(), 10e-6);
  EXPECT_DOUBLE_EQ(page["gpu_ranges"][0]["seconds"].get<double>(), 9e-6);
  EXPECT_EQ(page["gpu_api"][0]["call"], "cudaLaunchKernel");
  EXPECT_EQ(page["gpus"][0]["gpu"], "0 H200");
  EXPECT_DOUBLE_EQ(page["gpus"][0]["busy"].get<double>(), 0.25);
  EXPECT_DOUBLE_EQ(page["gpus"][0]["copies"].get<double>(), 0.75);
  EXPECT_DOUBLE_EQ(page["recordings"][0]["gpu"]["tensor_core_seconds"].get<double>(), 10e-6);
  const json events = json::parse(std::ifstream(trace))["traceEvents"];
  bool found = false;
  for (const json& event : events) {
    if (event["name"] != "nvjet_hsh") continue;
    found = true;
    EXPECT_DOUBLE_EQ(event["ts"].get<double>(), 10);
    EXPECT_DOUBLE_EQ(event["dur"].get<double>(), 10);
  }
  EXPECT_TRUE(found);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "tau" / "profile.0.0.1"));

  const auto html = folder.path() / "profile.html";
  EXPECT_EQ(run_program("profile " + file + " --html " + html.string(), folder).status, 0);
  EXPECT_THAT(test::contents(html), HasSubstr("GPUs, from their first work to their last"));
  EXPECT_THAT(test::contents(html), HasSubstr("The kernels that take the most time"));

  const Outcome csv = run_program("profile " + file + " --format csv", folder);
  EXPECT_THAT(csv.out, HasSubstr("gpu_kernels,"));
  const Outcome text = run_program("profile " + file, folder);
  EXPECT_THAT(text.out, HasSubstr("100.0% of 0.010 ms of kernels"));
}

}  // namespace
}  // namespace benanza::analysis
