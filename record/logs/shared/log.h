#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem/problem.h"
#include "record/logs/shared/call_text.h"

namespace benanza::record {

/// A recorded call as problems of the suites.
struct CallProblems {
  /// Consecutive calls; empty if no problem describes the call. `reason` then says why.
  std::vector<Problem> problems{};
  std::string reason{};
  /// The call only moves bytes.
  bool moves = false;
  std::optional<Precision> precision{};
  /// Of the operands, where the log tells it.
  std::optional<Layout> layout{};
  /// Names of variants (core/problem/name.h) that make the call with the recorded algorithm, where
  /// the log tells it and a suite may not ask for it by itself: of cuDNN. Two for data in fp32,
  /// which may have been rounded on its way.
  std::vector<std::string> variants{};
  /// Tensors with gaps between their elements are treated as dense.
  bool taken_as_dense = false;
  /// The result has another type than the operands, and is treated as if it had theirs.
  bool taken_as_operands = false;
};

/// The problem whose key `text` holds.
CallProblems problems_of_key(const CallText& text);

/// A program's environment variables.
class Environment {
 public:
  /// The variables of this program.
  static Environment inherited();

  std::optional<std::string> find(std::string_view name) const;
  void set(std::string_view name, std::string value);
  /// The variables as NAME=VALUE.
  std::vector<std::string> list() const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

/// What a library logged at one place.
struct LogEntry {
  enum class Kind { call, about_library, other };
  Kind kind = Kind::other;
  /// Of a call. A log whose fields the recording keeps one by one fills in all of it, others
  /// source, engine and kind.
  CallText text{};
  /// Of other logs' calls: their lines, without what differs between equal calls (times, threads,
  /// addresses). About a library: its description of itself.
  std::string words{};
  std::optional<std::int64_t> process{};
  /// The operating system's number.
  std::optional<std::int64_t> thread{};
  /// Start in seconds since 1970, if the log has it to better than a second.
  std::optional<double> started{};
  /// `started` is local time, read as if it were UTC.
  bool is_local = false;
  std::optional<double> milliseconds{};
};

/// How a log was switched on.
struct SwitchedOn {
  /// By the user, before, and on standard output: the program's output is to keep its lines.
  bool keeps_lines = false;
  /// Whole lines for the user.
  std::vector<std::string> remarks{};
};

/// A library's log: how it is switched on and read, and what its calls are. To add one, add a file
/// logs/X.cpp, or logs/X/X.cpp, that defines `Log X_log()`.
struct Log {
  /// CallText::source of its calls.
  std::vector<std::string_view> sources{};
  /// Recorded only on request, because it slows the program down.
  bool on_request = false;
  /// Makes the library log: to standard output, or to a file <source>_<process>.log of `folder`.
  SwitchedOn (*switch_on)(Environment& environment, const std::filesystem::path& folder) = nullptr;
  /// Of a log on standard output: what its lines start with, and what a line without its line break
  /// holds; empty if it is not the log's, or incomplete. Logs in files are NVIDIA's (nvidia_log.h).
  std::vector<std::string_view> markers{};
  std::optional<LogEntry> (*read_line)(std::string_view line) = nullptr;
  /// Of a log whose words the recording keeps: the call that they describe; empty if none.
  std::optional<LibraryCall> (*call_of)(std::string_view source, std::string_view words) = nullptr;
  CallProblems (*problems_of)(const CallText& text) = nullptr;
};

/// Generated from the files of logs/.
std::vector<Log> library_logs();

/// The call that a source's words describe; empty if none, or if no log has this source.
std::optional<LibraryCall> call_of(const std::vector<Log>& logs, std::string_view source,
                                   std::string_view words);
/// Never throws; what is not understood becomes a reason.
CallProblems problems_of_call(const std::vector<Log>& logs, const CallText& text);

}  // namespace benanza::record
