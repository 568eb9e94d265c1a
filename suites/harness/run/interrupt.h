#pragma once

#include <signal.h>
#include <time.h>

namespace benanza::harness {

/// Scope guard: the first SIGINT or SIGTERM requests the program to end after the current
/// measurement, another one ends it at once, and so does a measurement that takes longer than two
/// seconds more. Signals within a second of the first count as one, because `timeout` and batch
/// systems send several. If a signal was received, the handlers stay installed after destruction,
/// because the second signal may arrive while the program ends.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();

  /// The number of the first signal; 0 if there was none.
  int signal() const;
  /// Call once nothing is measured any more: what follows takes the time it takes.
  void be_patient() const;

 private:
  struct sigaction old_interrupt_ {};
  struct sigaction old_terminate_ {};
  struct sigaction old_expiry_ {};
};

}  // namespace benanza::harness
