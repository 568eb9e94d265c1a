#pragma once

#include <signal.h>
#include <sys/types.h>

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/child.h"

namespace benanza::regress {

/// During its lifetime, the first SIGINT, SIGTERM or SIGHUP does not end the program: it is stored,
/// and the running suites are terminated, so that waiting for them returns. One instance at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();

  /// Returns the number of the signal; 0 if none was received.
  static int signal();

 private:
  static constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, signals.size()> old_{};
};

/// Registers a child process, which a signal then terminates, for the lifetime of the object.
class Mortal {
 public:
  explicit Mortal(pid_t child);
  Mortal(const Mortal&) = delete;
  Mortal& operator=(const Mortal&) = delete;
  ~Mortal();

 private:
  pid_t child_;
};

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
