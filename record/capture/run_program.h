#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace benanza::record {

/// The program does not exist (status 127) or cannot be run (126).
class NotStarted : public Error {
 public:
  NotStarted(const std::string& text, int status) : Error(text), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

/// Callbacks of run_program() for the program's standard output and signals.
struct Listener {
  std::function<void(std::string_view bytes)> output;
  /// Called if there was no output for `idle_milliseconds`.
  std::function<void()> idle;
  int idle_milliseconds = 50;
  /// Receives signals sent to this program. Returns true if the signal is not to be forwarded to
  /// the recorded program. May be empty.
  std::function<bool(int signal)> takes_signal{};
};

/// Runs a program and waits for it, and for all children that hold its standard output open. Its
/// output is a pseudo-terminal if this program's is a terminal, else a pipe; everything else is
/// inherited. Signals sent to this program are forwarded. Once `writable` returns false, the
/// program's output is closed, as if the reader of a pipe had exited. Returns the exit status as a
/// shell does: 128 + the signal's number if a signal ended it. Throws NotStarted, and Error.
int run_program(const std::vector<std::string>& command,
                const std::vector<std::string>& environment, const Listener& listener,
                const std::function<bool()>& writable);

}  // namespace benanza::record
