#pragma once

#include <signal.h>

namespace benanza::harness {

/// While it lives, the first SIGINT or SIGTERM asks the program to end after the measurement at
/// hand; another one ends it at once. Signals within a second of the first count as one: `timeout`
/// and batch systems send several. After a signal they are handled so until the program is over,
/// since the second may come while it ends.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();

  /// Number of the signal that came first; 0 if none did.
  int signal() const;

 private:
  struct sigaction old_interrupt_ {};
  struct sigaction old_terminate_ {};
};

}  // namespace benanza::harness
