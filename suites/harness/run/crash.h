#pragma once

#include <signal.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace benanza::harness {

/// While it lives, a signal that says that the program is broken (SIGSEGV, SIGBUS, SIGFPE, SIGILL,
/// SIGABRT), in whichever thread, first has last words written; then it takes its course. One at a
/// time.
class CrashGuard {
 public:
  /// `file`: a descriptor that appends; negative: none.
  explicit CrashGuard(int file);
  CrashGuard(const CrashGuard&) = delete;
  CrashGuard& operator=(const CrashGuard&) = delete;
  ~CrashGuard();

  /// From now on the last words are `line`, for the file, and `message`, for standard error; each a
  /// line without its end.
  void expect(std::string line, std::string message);
  /// There are none to say.
  void forget();

  struct Words {
    std::string line;
    std::string message;
  };

 private:
  static constexpr std::array signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

  Words words_;
  /// A stack that overflowed holds no handler.
  std::vector<std::byte> stack_;
  stack_t old_stack_{};
};

}  // namespace benanza::harness
