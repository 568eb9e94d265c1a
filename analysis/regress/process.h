#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>

#include "analysis/regress/interrupt.h"
#include "core/base/child.h"

namespace benanza::regress {

/// A suite at work. With --turns, it measures only when told.
class Process {
 public:
  /// Throws Error where the program cannot be started, or a signal has come (InterruptGuard).
  explicit Process(const ChildCommand& command);
  /// Ends it where nobody has waited for it.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Lets it take one measurement; false where there is none any more.
  bool turn();
  /// Waits for its end. The exit status; 128 and more for a signal.
  int wait();
  /// Waits. Throws Error with its last words where it did not end with results.
  void finish();

 private:
  /// Waits. As waitpid() has it; empty where the child was lost.
  std::optional<int> reap();

  std::filesystem::path program_;
  std::filesystem::path err_;
  pid_t child_ = 0;
  /// Until the child is reaped: its number may be another's then.
  std::optional<Mortal> mortal_;
  FileDescriptor begin_;
  FileDescriptor end_;
};

/// Measurement by measurement, until both are done: A B, B A, A B, ...
void take_turns(Process& before, Process& after, bool before_first);

}  // namespace benanza::regress
