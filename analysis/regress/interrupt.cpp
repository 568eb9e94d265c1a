#include "analysis/regress/interrupt.h"

#include <atomic>

namespace benanza::regress {
namespace {

// A signal handler can only access static storage.
std::atomic<int> received = 0;
/// Two running suites, and one that lists its devices. 0: none.
std::array<std::atomic<pid_t>, 4> children{};

void end_children(int number) {
  received = number;
  for (const std::atomic<pid_t>& child : children) {
    const pid_t running = child;
    if (running > 0) ::kill(running, SIGTERM);
  }
}

}  // namespace

InterruptGuard::InterruptGuard() {
  received = 0;
  struct sigaction action {};
  action.sa_handler = &end_children;
  sigemptyset(&action.sa_mask);
  // A second signal of the same kind ends the program at once.
  action.sa_flags = SA_RESETHAND;
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &action, &old_[i]);
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &old_[i], nullptr);
}

int InterruptGuard::signal() { return received; }

Mortal::Mortal(pid_t child) : child_(child) {
  for (std::atomic<pid_t>& place : children) {
    pid_t none = 0;
    if (place.compare_exchange_strong(none, child)) break;
  }
  // The signal may have arrived just before.
  if (received != 0) ::kill(child, SIGTERM);
}

Mortal::~Mortal() {
  for (std::atomic<pid_t>& place : children) {
    pid_t own = child_;
    if (place.compare_exchange_strong(own, 0)) break;
  }
}

}  // namespace benanza::regress
