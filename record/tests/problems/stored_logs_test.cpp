// Logs are stored as they are, and mapped to problems when a recording is read.
#include <gmock/gmock.h>

#include "core/base/text.h"
#include "core/problem/problem.h"
#include "core/tests/folder.h"
#include "record/logs/shared/nvidia_log.h"
#include "record/problems/recorded_graphs.h"
#include "record/tests/ten_logs.h"

namespace benanza::record {
namespace {

using benanza::test::contents;
using benanza::test::Folder;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::string data = BENANZA_RECORD_DATA;

void write(RecordingWriter& writer, LogEntry entry) {
  if (entry.kind != LogEntry::Kind::call) return;
  writer.add({.text = std::move(entry.text),
              .words = std::move(entry.words),
              .started = entry.started,
              .process = entry.process,
              .thread = entry.thread,
              .milliseconds = entry.milliseconds});
}

/// A recording of what one program logged.
void record(const std::string& log, const std::filesystem::path& file) {
  RecordingWriter writer(file, {});
  NvidiaLogReader().feed(log, [&](LogEntry entry) { write(writer, std::move(entry)); });
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    for (const Log& one : library_logs()) {
      if (one.read_line == nullptr) continue;
      if (auto entry = one.read_line(line)) write(writer, std::move(*entry));
    }
  }
  writer.finish(1, 0);
}

std::int64_t count(const std::filesystem::path& file, const std::string& what) {
  const sqlite::Connection connection(file, sqlite::Connection::Mode::read);
  sqlite::Statement row(connection, "SELECT count(*) FROM " + what);
  row.step();
  return row.integer(0);
}

/// suites.txt was made by the program that mapped NVIDIA's logs while it recorded; reasons are
/// later.
TEST(StoredLogs, GiveTheSuitesOfLogsMappedWhileRecording) {
  const Folder folder;
  std::string suites;
  for (const auto& [name, log] : test::ten_logs(data)) {
    const auto file = folder / (name + ".db");
    record(log, file);
    suites += "== " + name + '\n' + test::suite_text(graphs_of_recording(file));
  }
  EXPECT_EQ(suites, contents(data + "/suites.txt"));
}

/// recording_v4.sql is what that program recorded.
TEST(StoredLogs, RecordingsThatHoldWhatCallsMeantAreRead) {
  const Folder folder;
  const auto file = folder / "mixed.db";
  sqlite::Connection(file, sqlite::Connection::Mode::write)
      .execute(contents(data + "/recording_v4.sql").c_str());
  EXPECT_THAT(contents(data + "/suites.txt"),
              HasSubstr("== mixed\n" + test::suite_text(graphs_of_recording(file)) + "=="));
}

TEST(StoredLogs, EqualWordsAreStoredOnce) {
  const Folder folder;
  std::string log;
  for (int step = 0; step < 100; ++step) {
    const std::string address = "0x7f00" + std::to_string(1000 + step);
    log += test::cudnn_entry(
        "cudnnConvolutionForward",
        test::half_nhwc + test::convolution_fields + "i!     workspace: addr=" + address + ";\n",
        test::end_of_entry("2026-11-21T16:09:04." + std::to_string(100000 + step)));
  }
  record(log, folder / "run.db");
  EXPECT_EQ(count(folder / "run.db", "call"), 100);
  EXPECT_EQ(count(folder / "run.db", "call_text"), 1);
  // The entry's first line, 4 of the tensor, 7 of the convolution, and the workspace.
  EXPECT_EQ(count(folder / "run.db", "log_line"), 13);
}

/// A mapping of cuDNN's log that knows two functions more.
std::vector<Log> mended_logs() {
  std::vector<Log> logs = library_logs();
  for (Log& log : logs) {
    if (log.sources.front() != "cudnn") continue;
    log.call_of = [](std::string_view, std::string_view words) -> std::optional<LibraryCall> {
      const std::string_view size = text::between(words, "dimA: type=int; val=[", "]");
      if (size != "1,3,8,8") return std::nullopt;
      return LibraryCall{
          .library = "cudnn",
          .function = "mended",
          .problem = key_of(Activation{.input = {1, 3, 8, 8}, .kind = ActivationKind::relu}),
          .data = Precision::fp16};
    };
  }
  return logs;
}

TEST(StoredLogs, AMendedMappingChangesTheSuiteOfAnOldRecording) {
  const Folder folder;
  const auto file = folder / "run.db";
  record(test::cudnn_entry("cudnnActivationForward", test::half_nhwc) + test::cublas_product +
             test::cudnn_entry("cudnnNewThing", test::half_nhwc),
         file);
  // Today's mapping knows the first as a call without a problem, the last not at all.
  const auto before = graphs_of_recording(file).graphs;
  ASSERT_THAT(before, SizeIs(1));
  ASSERT_THAT(before[0].layers, SizeIs(2));
  EXPECT_EQ(before[0].layers[0].cost, Cost::unsupported);
  EXPECT_THAT(before[0].layers[0].problems, IsEmpty());
  EXPECT_THAT(before[0].layers[0].reason, HasSubstr("cudnnActivationForward: no problem is known"));

  const auto after = graphs_of_recording(file, {}, mended_logs()).graphs;
  ASSERT_THAT(after, SizeIs(1));
  ASSERT_THAT(after[0].layers, SizeIs(2));
  EXPECT_EQ(after[0].layers[0].name, "1_mended x2");
  EXPECT_THAT(after[0].layers[0].problems, ElementsAre("relu/1x3x8x8", "relu/1x3x8x8"));
  EXPECT_EQ(after[0].layers[0].precision, "fp16");
  EXPECT_THAT(after[0].layers[1].problems, ElementsAre("gemm/m8_n1000_k2048_nt"));
}

}  // namespace
}  // namespace benanza::record
