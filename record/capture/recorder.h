#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/metrics/expression.h"
#include "record/capture/cpu_counters.h"
#include "record/capture/source.h"

namespace benanza::record {

/// When to record: after a delay, for a duration, and, if controlled by signals, between each start
/// and stop. In seconds since the run's start.
class Window {
 public:
  Window() = default;
  Window(double delay, std::optional<double> duration, bool by_signal)
      : delay_(delay), duration_(duration), by_signal_(by_signal), is_started_(!by_signal) {}

  bool is_open(double seconds) const {
    return is_started_ && seconds >= delay_ && (!duration_ || seconds < delay_ + *duration_);
  }
  /// Returns false if not controlled by signals.
  bool start() {
    if (by_signal_) is_started_ = true;
    return by_signal_;
  }
  bool stop() {
    if (by_signal_) is_started_ = false;
    return by_signal_;
  }

 private:
  double delay_ = 0;
  std::optional<double> duration_{};
  bool by_signal_ = false;
  bool is_started_ = true;
};

/// Runs a program and writes a recording of its library calls.
class Recorder {
 public:
  /// Creates `file`, and a folder next to it for as long as the program runs. Throws Error if that
  /// fails.
  Recorder(std::filesystem::path file, std::vector<std::string> command, RecordOptions options = {},
           Window window = {});
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder();

  /// Adds counters for the run, and metrics computed from them. Must be called before run().
  void count(CpuCounters counters, std::vector<Metric> metrics);

  /// Runs the program and returns its exit status. If the recording cannot be written, prints one
  /// line on standard error and lets the program continue. Throws as run_program() does; then
  /// leaves no file.
  int run();

 private:
  int run_recorded();
  void print_remarks() const;
  void take_calls(const std::function<void()>& work);
  bool take_line(std::string_view line);
  /// Opens and closes the window, and collects and saves what is due.
  void tick();
  void collect();
  void add_counters();
  bool takes_signal(int signal);
  double now() const;

  std::filesystem::path file_;
  std::vector<std::string> command_;
  RunSetup setup_;
  Window window_;
  std::optional<CpuCounters> counters_;
  std::vector<Metric> metrics_;
  std::vector<std::unique_ptr<Source>> sources_;
  double start_;
  std::optional<RecordingWriter> writer_;
  double last_flush_ = 0;
  std::optional<bool> is_active_;
};

}  // namespace benanza::record
