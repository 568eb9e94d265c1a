#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "suites/harness/report/progress.h"
#include "suites/harness/report/progress_file.h"

namespace benanza::harness {

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
