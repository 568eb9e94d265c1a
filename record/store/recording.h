#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/sqlite.h"
#include "record/logs/shared/log.h"
#include "record/store/device_reader.h"
#include "record/store/device_writer.h"

/// Recordings: the library calls of a running program, in one SQLite file. docs/record.md describes
/// its tables.
namespace benanza {

/// Version of the file's tables (`PRAGMA user_version`). Older versions can be read, too; version 1
/// has no GPU data, versions up to 4 hold what the calls of NVIDIA's libraries meant when they were
/// recorded, instead of their words.
inline constexpr int recording_schema = 5;

struct ArrivedCall {
  CallText text{};
  /// Of a log whose meaning is found out on reading: the call's lines (LogEntry::words). `text`
  /// then holds source, engine and kind alone; a call that was read has all of `text`, and no
  /// words.
  std::string words{};
  /// Seconds from the run's start: the call's start according to the library, and the time its line
  /// was read.
  std::optional<double> started{};
  std::optional<double> arrived{};
  std::optional<std::int64_t> process{};
  std::optional<std::int64_t> thread{};
  /// Empty if the log does not contain it.
  std::optional<double> milliseconds{};
};

struct RecordedRun {
  std::vector<std::string> command{};
  /// Seconds since 1970; empty if unknown, as for a log.
  std::optional<double> start{};
  /// Empty if the recorder did not see the program end.
  std::optional<double> seconds{};
  /// As in a shell: 128 plus the signal's number if a signal ended it.
  std::optional<std::int64_t> exit_status{};
  /// CPU, number of its threads, operating system.
  std::string machine{};
};

/// The value of a counter over a whole run.
struct CountedValue {
  std::string name{};
  /// Empty if it never counted.
  std::optional<double> value{};
  /// Fraction of the time in which it counted; the value is scaled up accordingly. 1 for sums and
  /// metrics.
  std::optional<double> running_part{};
  /// Empty for a counter.
  std::string expression{};
};

/// Writes a recording incrementally. Everything added before the last flush() survives any end of
/// this program. Every member throws Error.
class RecordingWriter {
 public:
  /// Creates `path`, which must not exist.
  RecordingWriter(const std::filesystem::path& path, const RecordedRun& run);

  void add(const ArrivedCall& call);
  /// Calls that arrive while paused are dropped.
  void pause(bool paused) { is_paused_ = paused; }
  /// Adds GPU or driver activity of a process; `run_start` is in seconds since 1970.
  void add(std::int64_t process, double run_start, const Event& event);
  /// Adds a library's description of itself; each text is stored once.
  void add_library(std::string_view source, std::string_view text);
  void add(const CountedValue& value);
  /// Adds arithmetic over the counters of kernels; each is stored once.
  void add_kernel_metric(std::string_view name, std::string_view expression);
  void flush();
  /// Records the program's end and flushes.
  void finish(double seconds, std::int64_t exit_status);

 private:
  std::int64_t id_of(const CallText& text, const std::string& words);
  /// The numbers of the lines, each of which is stored once.
  std::string numbers_of(std::string_view lines);
  void begin();

  sqlite::Connection connection_;
  sqlite::Statement insert_text_;
  sqlite::Statement find_text_;
  sqlite::Statement insert_call_;
  sqlite::Statement insert_library_;
  sqlite::Statement insert_line_;
  sqlite::Statement find_line_;
  DeviceWriter devices_;
  std::optional<sqlite::Transaction> transaction_;
  bool is_paused_ = false;
  std::int64_t next_sequence_ = 1;
  struct Known {
    CallText text{};
    std::string words{};
    std::int64_t id = 0;
  };
  /// The latest distinct calls; of bounded size.
  std::vector<Known> cache_;
};

/// All calls of a recording that have the same text.
struct CallTotal {
  CallText text{};
  std::int64_t calls = 0;
  /// Total of the calls whose time is known.
  double seconds = 0;
  std::int64_t timed_calls = 0;
  /// Sequence number of the first one.
  std::int64_t first = 0;
};

/// A recording that was written. Every member throws Error.
class RecordingReader {
 public:
  /// `logs` say what the stored words mean; words that are no call's are left out.
  explicit RecordingReader(const std::filesystem::path& path,
                           const std::vector<record::Log>& logs = record::library_logs());

  RecordedRun run() const;
  /// "oneDNN v2.6.3 (commit N/A)".
  std::vector<std::string> libraries() const;
  /// In the order of their first calls.
  std::vector<CallTotal> totals() const;
  /// Calls `use` for every call, in order.
  void for_each(const std::function<void(const ArrivedCall& call)>& use) const;
  /// The index into totals() of every call, in order.
  std::vector<std::uint32_t> sequence() const;
  /// Counters, then metrics, in the order they were requested.
  std::vector<CountedValue> counters() const;
  /// What the GPUs did; empty if nothing was recorded.
  DeviceRecording devices() const { return read_device_recording(connection_); }

 private:
  void read_texts(const std::vector<record::Log>& logs);
  /// Null for what is no call, and for what was recorded after this object was made.
  const CallText* text(std::int64_t row) const;

  sqlite::Connection connection_;
  std::int64_t schema_ = 0;
  /// What the stored texts of calls say, by their rows.
  std::unordered_map<std::int64_t, CallText> texts_;
};

/// Returns `path`. Throws Error if it is not a regular file.
std::filesystem::path existing_recording(const std::filesystem::path& path);

}  // namespace benanza
