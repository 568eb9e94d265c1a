#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace benanza::harness {

/// One line on the terminal's stderr, "[12/300] 1:05 left, <name>", which is rewritten as the run
/// proceeds. Prints nothing if stderr is not a terminal.
class Progress {
 public:
  explicit Progress(std::int64_t total);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  /// Shows that step number `done` + 1 is running.
  void show(std::int64_t done, std::string_view name);
  /// Erases the line to make room for other output.
  void clear();

 private:
  bool terminal_;
  bool shown_ = false;
  std::int64_t total_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// A run's progress, for other programs to read:
///   {"rows": of the whole run, "before": from earlier runs, "done": by this run,
///    "seconds": since it started measuring}
/// A row is a repetition of a variant; one that turned out to be unnecessary counts as done.
/// Written when a run starts and ends, and at most once a second in between. Without a path it does
/// nothing.
class ProgressFile {
 public:
  ProgressFile(std::filesystem::path path, std::int64_t rows, std::int64_t before);

  /// Write errors are ignored.
  void show(std::int64_t done);
  void finish(std::int64_t done) { write(done); }

 private:
  using Clock = std::chrono::steady_clock;

  void write(std::int64_t done);

  std::filesystem::path path_;
  std::int64_t rows_;
  std::int64_t before_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point written_ = start_;
};

/// Shows how far a run is, on the terminal and in a file.
class RunProgress {
 public:
  /// Of a run of so many rows, of which earlier ones have measured `before`. `file`: see
  /// ProgressFile.
  RunProgress(std::filesystem::path file, std::int64_t rows, std::int64_t before);

  /// A row of the variant `name` begins.
  void begin(std::string_view name);
  /// A row turned out to be unnecessary.
  void leave_out() { ++left_out_; }
  /// The line on the terminal.
  Progress& line() { return line_; }
  /// Writes the file.
  void finish() { file_.finish(begun_ + left_out_); }

 private:
  Progress line_;
  ProgressFile file_;
  std::int64_t begun_ = 0;
  std::int64_t left_out_ = 0;
};

}  // namespace benanza::harness
