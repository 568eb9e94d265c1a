#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

namespace benanza::harness {

/// One line on a terminal's stderr, "[12/300] 1:05 left, <name>", rewritten as work goes on.
/// Silent where stderr is no terminal.
class Progress {
 public:
  explicit Progress(std::int64_t total);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  /// Shows that step number `done` + 1 is at work.
  void show(std::int64_t done, std::string_view name);
  /// Takes the line away, for other output to begin there.
  void clear();

 private:
  bool terminal_;
  bool shown_ = false;
  std::int64_t total_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace benanza::harness
