#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "core/base/error.h"
#include "record/store/recording.h"

namespace benanza {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

class DeviceRecordingFile : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path); }
  std::filesystem::path path = std::filesystem::temp_directory_path() /
                               ("benanza_devices_" + std::to_string(::getpid()) + ".db");
};

constexpr std::int64_t second = 1'000'000'000;

TEST_F(DeviceRecordingFile, HoldsWhatAProcessTold) {
  // The run started at 1000.5 s since 1970, when the process's clock showed 7 s.
  constexpr double run_start = 1000.5;
  {
    RecordingWriter writer(path, {.start = run_start});
    const auto add = [&](const Event& event) { writer.add(42, run_start, event); };
    add(KernelEvent{.at = {.start = 1}, .name = "too early: its clock is not known"});
    add(ClockEvent{.time = 8 * second, .unix_nanoseconds = 1001 * second + second / 2});
    add(NoteEvent{.is_error = false, .text = "CUPTI 130001"});
    add(DeviceEvent{.id = 0,
                    .name = "H200",
                    .capability_major = 9,
                    .capability_minor = 0,
                    .multiprocessors = 132,
                    .memory_bytes = 5});
    add(CopyEvent{.at = {.start = 9 * second, .end = 9 * second + 10, .correlation = 3},
                  .direction = "host to device",
                  .bytes = 4096});
    add(KernelEvent{.at = {.start = 8 * second,
                           .end = 8 * second + 5,
                           .device = 0,
                           .context = 1,
                           .stream = 7,
                           .correlation = 2,
                           .graph = 11,
                           .node = 12},
                    .name = "sgemm",
                    .grid = {1, 2, 3},
                    .block = {4, 5, 6}});
    add(ApiEvent{.name = "cudaGraphLaunch",
                 .start = 7 * second,
                 .end = 7 * second + 3,
                 .thread = 43,
                 .correlation = 2});
    add(GraphEvent{.at = {.start = 10 * second, .end = 11 * second, .graph = 11}});
    add(MarkerEvent{.kind = MarkerEvent::Kind::begin,
                    .id = 1,
                    .time = 7 * second,
                    .thread = 43,
                    .name = "step"});
    add(MarkerEvent{.kind = MarkerEvent::Kind::begin, .id = 2, .time = 8 * second, .name = "open"});
    add(MarkerEvent{.kind = MarkerEvent::Kind::end, .id = 1, .time = 9 * second});
    add(MarkerEvent{.kind = MarkerEvent::Kind::end, .id = 9, .time = 9 * second});
    add(LostEvent{.events = 2});
    add(LostEvent{.events = 3});
    writer.finish(5, 0);
  }
  const DeviceRecording read = RecordingReader(path).devices();
  EXPECT_FALSE(read.is_empty());
  EXPECT_THAT(read.processes, ElementsAre(42));
  EXPECT_EQ(read.lost_events, 5);
  ASSERT_THAT(read.notes, SizeIs(1));
  EXPECT_EQ(read.notes[0].text, "CUPTI 130001");
  ASSERT_THAT(read.devices, SizeIs(1));
  EXPECT_EQ(read.devices[0].name, "H200");
  EXPECT_EQ(read.devices[0].compute_capability, "9.0");

  // Sorted by start: the kernel, the copy, the graph.
  ASSERT_THAT(read.work, SizeIs(3));
  EXPECT_EQ(read.names[read.work[0].name], "sgemm");
  EXPECT_EQ(read.work[0].start, second);
  EXPECT_EQ(read.work[0].nanoseconds(), 5);
  EXPECT_EQ(read.work[0].stream, 7);
  EXPECT_EQ(read.work[0].graph, 11);
  EXPECT_EQ(read.names[read.work[1].name], "host to device");
  EXPECT_EQ(read.work[1].bytes, 4096);
  EXPECT_EQ(read.work[1].graph, std::nullopt);
  EXPECT_EQ(read.names[read.work[2].name], "graph 11");
  ASSERT_THAT(read.api, SizeIs(1));
  EXPECT_EQ(read.api[0].start, 0);
  EXPECT_EQ(read.api[0].thread, 43);
  ASSERT_THAT(read.ranges, SizeIs(2));
  EXPECT_EQ(read.names[read.ranges[0].name], "step");
  EXPECT_EQ(read.ranges[0].end, 2 * second);
  EXPECT_EQ(read.ranges[1].end, std::nullopt);
}

TEST_F(DeviceRecordingFile, HoldsCountersOfKernels) {
  {
    RecordingWriter writer(path, {});
    writer.add_kernel_metric("ipc", "a.sum / b.sum");
    writer.add_kernel_metric("ipc", "a.sum / b.sum");
    // They have no time, and need no clock.
    for (const std::int64_t process : {2, 1}) {
      writer.add(process, 0,
                 CounterEvent{.launch = 1,
                              .kernel = "_ZN3our6kernelEf",
                              .grid = {7, 1, 1},
                              .counter = "a.sum",
                              .value = 2.5 * static_cast<double>(process)});
    }
    writer.finish(1, 0);
  }
  const DeviceRecording read = RecordingReader(path).devices();
  EXPECT_FALSE(read.is_empty());
  ASSERT_THAT(read.kernel_metrics, SizeIs(1));
  EXPECT_EQ(read.kernel_metrics[0].expression, "a.sum / b.sum");
  ASSERT_THAT(read.kernel_counters, SizeIs(2));
  EXPECT_EQ(read.kernel_counters[1].process, 2);
  EXPECT_EQ(read.kernel_counters[1].launch, 1);
  EXPECT_EQ(read.kernel_counters[1].value, 5);
  EXPECT_EQ(read.names[read.kernel_counters[1].kernel], "our::kernel(float)");
  EXPECT_EQ(read.names[read.kernel_counters[1].counter], "a.sum");
}

TEST_F(DeviceRecordingFile, HoldsNamesAsPeopleWriteThem) {
  {
    RecordingWriter writer(path, {});
    writer.add(1, 0, ClockEvent{});
    writer.add(1, 0, KernelEvent{.name = "_ZN3our6kernelEf"});
    writer.add(1, 0, ApiEvent{.name = "cudaLaunchKernel_v7000"});
    writer.finish(1, 0);
  }
  sqlite::Connection file(path, sqlite::Connection::Mode::write);
  sqlite::Statement name(file, "SELECT text FROM kernel JOIN name ON name = id");
  ASSERT_TRUE(name.step());
  EXPECT_EQ(name.text(0), "our::kernel(float)");
}

TEST_F(DeviceRecordingFile, OlderOnesHoldNamesAsTheCompilerWroteThem) {
  {
    RecordingWriter writer(path, {});
    writer.add(1, 0, ClockEvent{});
    writer.add(1, 0, KernelEvent{.at = {.start = 1, .end = 2}, .name = "our::kernel(float)"});
    writer.add(1, 0, KernelEvent{.at = {.start = 3, .end = 4}, .name = "other"});
    writer.add(1, 0, ApiEvent{.name = "cudaFree"});
    writer.finish(1, 0);
  }
  {
    sqlite::Connection file(path, sqlite::Connection::Mode::write);
    file.execute("UPDATE name SET text = '_ZN3our6kernelEf' WHERE text = 'other'");
    file.execute("UPDATE name SET text = 'cudaFree_v3020' WHERE text = 'cudaFree'");
  }
  const DeviceRecording read = RecordingReader(path).devices();
  ASSERT_THAT(read.work, SizeIs(2));
  // One kernel, however its name was written.
  EXPECT_EQ(read.work[0].name, read.work[1].name);
  EXPECT_EQ(read.names[read.work[1].name], "our::kernel(float)");
  ASSERT_THAT(read.api, SizeIs(1));
  EXPECT_EQ(read.names[read.api[0].name], "cudaFree");
}

TEST_F(DeviceRecordingFile, ACallWithoutATimeIsNotOneOfNoTime) {
  {
    RecordingWriter writer(path, {});
    writer.add({.text = {.kind = "a"}, .milliseconds = 2});
    writer.add({.text = {.kind = "b"}, .process = 4, .thread = 5});
    writer.flush();
  }
  const RecordingReader reader(path);
  const auto totals = reader.totals();
  ASSERT_THAT(totals, SizeIs(2));
  EXPECT_EQ(totals[0].timed_calls, 1);
  EXPECT_EQ(totals[1].timed_calls, 0);
  EXPECT_EQ(totals[1].calls, 1);
  reader.for_each([](const ArrivedCall& call) {
    EXPECT_EQ(call.milliseconds.has_value(), call.text.kind == "a");
    EXPECT_EQ(call.thread.has_value(), call.text.kind == "b");
  });
  EXPECT_TRUE(reader.devices().is_empty());
}

TEST_F(DeviceRecordingFile, FilesOfVersionOneAreRead) {
  {
    sqlite::Connection file(path, sqlite::Connection::Mode::write);
    file.execute(
        "CREATE TABLE run(command TEXT, start_seconds REAL, seconds REAL, exit_status INTEGER, "
        "machine TEXT);"
        "CREATE TABLE library(source TEXT, text TEXT);"
        "CREATE TABLE call_text(id INTEGER PRIMARY KEY, source TEXT, engine TEXT, kind TEXT, "
        "implementation TEXT, prop_kind TEXT, memory TEXT, attributes TEXT, auxiliary TEXT, "
        "problem TEXT);"
        "CREATE TABLE call(sequence INTEGER PRIMARY KEY, text INTEGER, process INTEGER, "
        "start_seconds REAL, arrival_seconds REAL, milliseconds REAL NOT NULL);"
        "CREATE VIEW calls AS SELECT * FROM call JOIN call_text ON call.text = call_text.id;"
        "INSERT INTO call_text VALUES(1, 'onednn', 'cpu', 'relu', '', '', '', '', '', '2x3');"
        "INSERT INTO call VALUES(1, 1, NULL, NULL, NULL, 0.5);"
        "PRAGMA user_version = 1;");
  }
  const RecordingReader reader(path);
  int calls = 0;
  reader.for_each([&](const ArrivedCall& call) {
    ++calls;
    EXPECT_EQ(call.milliseconds, 0.5);
    EXPECT_EQ(call.text.problem, "2x3");
  });
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(reader.devices().is_empty());
  sqlite::Connection(path, sqlite::Connection::Mode::write).execute("PRAGMA user_version = 6");
  EXPECT_THROW(RecordingReader{path}, Error);
}

}  // namespace
}  // namespace benanza
