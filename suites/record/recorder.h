#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "suites/record/source.h"

namespace benanza::record {

/// Runs a program and writes a recording of what its libraries are called for.
class Recorder {
 public:
  /// Creates `file`. Throws Error where it cannot.
  Recorder(std::filesystem::path file, std::vector<std::string> command);

  /// Runs it. Returns its exit status. A recording that cannot be written ends with one line on
  /// standard error, the program goes on. Throws as run_program() does, and leaves no file then.
  int run();

 private:
  void take_calls(const std::function<void()>& work);
  bool take_line(std::string_view line);
  void flush_if_due();
  double now() const;

  std::filesystem::path file_;
  std::vector<std::string> command_;
  std::vector<std::unique_ptr<Source>> sources_;
  double start_;
  std::optional<RecordingWriter> writer_;
  double last_flush_ = 0;
};

}  // namespace benanza::record
