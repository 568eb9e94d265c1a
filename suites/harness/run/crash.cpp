#include "suites/harness/run/crash.h"

#include <unistd.h>

#include <atomic>
#include <utility>

#include "core/base/file_descriptor.h"

namespace benanza::harness {
namespace {

constexpr std::size_t stack_bytes = std::size_t{1} << 16;

/// A signal handler can access only static storage.
std::atomic<const CrashGuard::LastWords*> last_words = nullptr;
std::atomic<int> words_file = -1;

/// The previous action.
struct sigaction& old_of(int number) {
  static std::array<struct sigaction, NSIG> actions;
  return actions[static_cast<std::size_t>(number)];
}

void speak(int number) {
  if (const CrashGuard::LastWords* const last = last_words.exchange(nullptr)) {
    const CrashGuard::Words& words = number == SIGALRM ? last->hung : last->crashed;
    const int file = words_file;
    if (file >= 0) {
      write_all(file, words.line);
      ::fdatasync(file);
    }
    write_all(STDERR_FILENO, words.message);
  }
  ::sigaction(number, &old_of(number), nullptr);
  ::raise(number);  // delivered when this handler returns
}

}  // namespace

CrashGuard::CrashGuard(int file) : stack_(stack_bytes) {
  words_file = file;
  const stack_t stack{.ss_sp = stack_.data(), .ss_flags = 0, .ss_size = stack_.size()};
  ::sigaltstack(&stack, &old_stack_);
  struct sigaction action {};
  action.sa_handler = &speak;
  action.sa_flags = SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (const int number : signals) ::sigaction(number, &action, &old_of(number));
}

CrashGuard::~CrashGuard() {
  forget();
  for (const int number : signals) ::sigaction(number, &old_of(number), nullptr);
  ::sigaltstack(&old_stack_, nullptr);
}

void CrashGuard::expect(Words crashed, Words hung) {
  forget();
  words_ = {.crashed = std::move(crashed), .hung = std::move(hung)};
  for (Words* const words : {&words_.crashed, &words_.hung}) {
    words->line += '\n';
    words->message = '\n' + words->message + '\n';
  }
  last_words = &words_;
}

void CrashGuard::forget() { last_words = nullptr; }

}  // namespace benanza::harness
