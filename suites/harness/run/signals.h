#pragma once

#include <signal.h>
#include <time.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace benanza::harness {

/// Scope guard that writes last words if the program crashes (SIGSEGV, SIGBUS, SIGFPE, SIGILL,
/// SIGABRT) or hangs (SIGALRM, see Deadline), in any thread; the signal then takes its previous
/// action. Only one instance may exist at a time.
class CrashGuard {
 public:
  /// `file`: a descriptor opened with O_APPEND; negative if there is none.
  explicit CrashGuard(int file);
  CrashGuard(const CrashGuard&) = delete;
  CrashGuard& operator=(const CrashGuard&) = delete;
  ~CrashGuard();

  /// One line each, without a line break.
  struct Words {
    /// For the file.
    std::string line;
    /// For standard error.
    std::string message;
  };
  /// Sets the last words: for a crash, and for a deadline that has passed.
  void expect(Words crashed, Words hung);
  /// Clears the last words.
  void forget();

  struct LastWords {
    Words crashed;
    Words hung;
  };

 private:
  static constexpr std::array signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};

  LastWords words_;
  /// Alternate signal stack: the handler cannot run on a stack that overflowed.
  std::vector<std::byte> stack_;
  stack_t old_stack_{};
};

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
