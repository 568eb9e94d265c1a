#pragma once

#include <signal.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace benanza::harness {

/// While it lives, a signal that ends the program because it is broken (SIGSEGV, SIGBUS, SIGFPE,
/// SIGILL, SIGABRT) or hangs (SIGALRM, see Deadline), in any thread, first writes the last words.
/// Then the signal takes its usual course. At most one guard exists at a time.
class CrashGuard {
 public:
  /// `file`: a descriptor that appends; negative: none.
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
  /// The last words from now on: after a crash, and after a deadline has passed.
  void expect(Words crashed, Words hung);
  /// There are no last words from now on.
  void forget();

  struct LastWords {
    Words crashed;
    Words hung;
  };

 private:
  static constexpr std::array signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};

  LastWords words_;
  /// A stack that overflowed holds no handler.
  std::vector<std::byte> stack_;
  stack_t old_stack_{};
};

}  // namespace benanza::harness
