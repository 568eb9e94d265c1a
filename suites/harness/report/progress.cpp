#include "suites/harness/report/progress.h"

#include <unistd.h>

#include <iomanip>
#include <iostream>
#include <sstream>

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

}  // namespace benanza::harness
