#pragma once

#include <chrono>
#include <cstdint>
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

}  // namespace benanza::harness
