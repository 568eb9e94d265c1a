#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>

namespace benanza::harness {

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

}  // namespace benanza::harness
