#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace benanza::record {

/// There is no such program (status 127), or it cannot be run (126).
class NotStarted : public Error {
 public:
  NotStarted(const std::string& text, int status) : Error(text), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

/// What run_program() tells of the program's standard output.
struct Listener {
  std::function<void(std::string_view bytes)> output;
  /// No output for `idle_milliseconds`.
  std::function<void()> idle;
  int idle_milliseconds = 50;
  /// Of a signal sent to this program: true if it is not the recorded program's. May be empty.
  std::function<bool(int signal)> takes_signal{};
};

/// Runs a program and waits for its end and for that of all children that hold its standard output.
/// That is a terminal where this program's is one, else a pipe; everything else is this program's
/// own. Signals sent to this program reach it. When `writable` says no more, its output is closed,
/// as where a reader of a pipe went away.
/// Returns the exit status as a shell has it: 128 and the signal's number where one ended it.
/// Throws NotStarted, and Error.
int run_program(const std::vector<std::string>& command,
                const std::vector<std::string>& environment, const Listener& listener,
                const std::function<bool()>& writable);

}  // namespace benanza::record
