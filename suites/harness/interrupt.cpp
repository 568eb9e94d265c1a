#include "suites/harness/interrupt.h"

#include <unistd.h>

#include <string_view>

namespace benanza {
namespace {

/// A signal handler can reach nothing but static storage.
volatile sig_atomic_t received = 0;

void remember(int number) {
  received = number;
  constexpr std::string_view text =
      "\ninterrupted: ending after this measurement; once more ends at once\n";
  [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

InterruptGuard::InterruptGuard() {
  received = 0;
  struct sigaction action {};
  action.sa_handler = &remember;
  // Back to the default after the first; an interrupted write is taken up again.
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &old_interrupt_);
  sigaction(SIGTERM, &action, &old_terminate_);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &old_interrupt_, nullptr);
  sigaction(SIGTERM, &old_terminate_, nullptr);
}

int InterruptGuard::signal() const { return received; }

}  // namespace benanza
