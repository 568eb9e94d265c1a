#pragma once

#include <signal.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace benanza::harness {

/// Scope guard that writes last words if SIGSEGV, SIGBUS, SIGFPE, SIGILL or SIGABRT is raised in
/// any thread; the signal then takes its previous action. Only one instance may exist at a time.
class CrashGuard {
 public:
  /// `file`: a descriptor opened with O_APPEND; negative if there is none.
  explicit CrashGuard(int file);
  CrashGuard(const CrashGuard&) = delete;
  CrashGuard& operator=(const CrashGuard&) = delete;
  ~CrashGuard();

  /// Sets the last words: `line` is written to the file and `message` to standard error, each
  /// without a line break at its end.
  void expect(std::string line, std::string message);
  /// Clears the last words.
  void forget();

  struct Words {
    std::string line;
    std::string message;
  };

 private:
  static constexpr std::array signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

  Words words_;
  /// Alternate signal stack: the handler cannot run on a stack that overflowed.
  std::vector<std::byte> stack_;
  stack_t old_stack_{};
};

}  // namespace benanza::harness
