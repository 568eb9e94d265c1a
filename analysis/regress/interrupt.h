#pragma once

#include <signal.h>
#include <sys/types.h>

#include <array>

namespace benanza::regress {

/// While it lives, the first SIGINT, SIGTERM or SIGHUP does not end the program: it ends the suites
/// at work, so that whoever waits for them goes on, and is remembered. One at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();

  /// The signal's number; 0: none came.
  static int signal();

 private:
  static constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, signals.size()> old_{};
};

/// A child that a signal ends, while it lives.
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
