#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/regress/interrupt.h"
#include "core/base/child.h"

namespace benanza::regress {

/// A suite at work. With --serve, it does what it is told to (suites/harness/run/serve.h).
class Process {
 public:
  /// Throws Error where the program cannot be started, or a signal has come (InterruptGuard).
  explicit Process(const ChildCommand& command);
  /// Ends it where nobody has waited for it.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Throws Error with its last words where it has ended instead, or a signal has come.
  void tell(std::string_view words);
  std::string listen();
  std::string ask(std::string_view words);
  /// Waits for its end. The exit status; 128 and more for a signal.
  int wait();
  /// Waits. Throws Error with its last words where it did not end with results.
  void finish();

 private:
  [[noreturn]] void fail();
  /// Waits. As waitpid() has it; empty where the child was lost.
  std::optional<int> reap();

  std::filesystem::path program_;
  std::filesystem::path err_;
  pid_t child_ = 0;
  /// Until the child is reaped: its number may be another's then.
  std::optional<Mortal> mortal_;
  FileDescriptor to_;
  FileDescriptor from_;
};

}  // namespace benanza::regress
