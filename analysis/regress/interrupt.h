#pragma once

#include <signal.h>
#include <sys/types.h>

#include <array>

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

}  // namespace benanza::regress
