#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/regress/interrupt.h"
#include "core/base/child.h"

namespace benanza::regress {

/// A running suite. With --serve, it follows commands (suites/harness/run/serve.h).
class Process {
 public:
  /// Throws Error if the program cannot be started or a signal was received (InterruptGuard).
  explicit Process(const ChildCommand& command);
  /// Terminates the process unless it was waited for.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Like listen() and ask(), throws Error, with the last line of the suite's stderr if it has
  /// ended, or if a signal was received.
  void tell(std::string_view words);
  std::string listen();
  std::string ask(std::string_view words);
  /// Waits for the process to end. Returns the exit status; 128 + the number for a signal.
  int wait();
  /// Waits. Throws Error with the last line of its stderr if it did not end with results.
  void finish();
  /// The same, but returns false if the suite crashed or hung at a call, which it leaves out when
  /// it is started again.
  bool finish_or_crash();

 private:
  [[noreturn]] void fail();
  /// Waits. Returns the status as waitpid() does; empty if the child was lost.
  std::optional<int> reap();

  std::filesystem::path program_;
  std::filesystem::path err_;
  pid_t child_ = 0;
  /// Set until the child is reaped: after that, its pid may belong to another process.
  std::optional<Mortal> mortal_;
  FileDescriptor to_;
  FileDescriptor from_;
};

}  // namespace benanza::regress
