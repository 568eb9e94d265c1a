#include "suites/harness/report/progress.h"

#include <unistd.h>

#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"

namespace benanza::harness {

Progress::Progress(std::int64_t total) : terminal_(::isatty(STDERR_FILENO) == 1), total_(total) {}

void Progress::show(std::int64_t done, std::string_view name) {
  if (!terminal_) return;
  clear();
  std::ostringstream line;
  line << '[' << done + 1 << '/' << total_ << "] ";
  if (done > 0) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    const auto left = static_cast<std::int64_t>(
        spent.count() / static_cast<double>(done) * static_cast<double>(total_ - done) + 0.5);
    line << left / 60 << ':' << std::setw(2) << std::setfill('0') << left % 60 << " left, ";
  }
  line << name;
  // At most one terminal line: a wrapped one could not be erased.
  std::cerr << line.str().substr(0, 79) << std::flush;
  shown_ = true;
}

void Progress::clear() {
  if (!shown_) return;
  std::cerr << "\r\033[K" << std::flush;
  shown_ = false;
}

ProgressFile::ProgressFile(std::filesystem::path path, std::int64_t rows, std::int64_t before)
    : path_(std::move(path)), rows_(rows), before_(before) {
  write(0);
}

void ProgressFile::show(std::int64_t done) {
  if (Clock::now() - written_ >= std::chrono::seconds(1)) write(done);
}

void ProgressFile::write(std::int64_t done) {
  if (path_.empty()) return;
  written_ = Clock::now();
  const nlohmann::ordered_json json{
      {"rows", rows_},
      {"before", before_},
      {"done", done},
      {"seconds", std::chrono::duration<double>(written_ - start_).count()}};
  try {
    write_file(path_, json.dump() + '\n');
  } catch (const Error&) {
    // A full disk is reported when results are written.
  }
}

RunProgress::RunProgress(std::filesystem::path file, std::int64_t rows, std::int64_t before)
    : line_(rows - before), file_(std::move(file), rows, before) {}

void RunProgress::begin(std::string_view name) {
  file_.show(begun_ + left_out_);
  line_.show(begun_++, name);
}

}  // namespace benanza::harness
