#include "suites/harness/run/interrupt.h"

#include <time.h>
#include <unistd.h>

#include <string_view>

namespace benanza::harness {
namespace {

constexpr double one_signal_seconds = 1;

// A signal handler can access only static storage.
volatile sig_atomic_t received = 0;
volatile time_t first_seconds = 0;
volatile long first_nanoseconds = 0;

double seconds_since_the_first() {
  struct timespec now {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec - first_seconds) +
         1e-9 * static_cast<double>(now.tv_nsec - first_nanoseconds);
}

void remember(int number) {
  if (received != 0) {
    if (seconds_since_the_first() < one_signal_seconds) return;
    ::signal(number, SIG_DFL);
    ::raise(number);  // delivered when this handler returns
    return;
  }
  struct timespec now {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  first_seconds = now.tv_sec;
  first_nanoseconds = now.tv_nsec;
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
  // Interrupted writes are restarted.
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  // Blocks the other signal during the handler, which could otherwise see a half-written time of
  // the first.
  sigaddset(&action.sa_mask, SIGINT);
  sigaddset(&action.sa_mask, SIGTERM);
  sigaction(SIGINT, &action, &old_interrupt_);
  sigaction(SIGTERM, &action, &old_terminate_);
}

InterruptGuard::~InterruptGuard() {
  if (received != 0) return;
  sigaction(SIGINT, &old_interrupt_, nullptr);
  sigaction(SIGTERM, &old_terminate_, nullptr);
}

int InterruptGuard::signal() const { return received; }

}  // namespace benanza::harness
