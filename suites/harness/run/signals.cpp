#include "suites/harness/run/signals.h"

#include <unistd.h>

#include <atomic>
#include <string_view>
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

namespace {

constexpr double one_signal_seconds = 1;
/// How long the measurement in progress may go on after the first signal.
constexpr time_t patience_seconds = 2;

// A signal handler can access only static storage.
volatile sig_atomic_t received = 0;
volatile time_t first_seconds = 0;
volatile long first_nanoseconds = 0;
timer_t timer{};
volatile sig_atomic_t has_timer = 0;

/// Starts the timer, or stops it with 0.
void set_timer(time_t seconds) {
  if (has_timer == 0) return;
  const itimerspec once{.it_interval = {}, .it_value = {.tv_sec = seconds, .tv_nsec = 0}};
  ::timer_settime(timer, 0, &once, nullptr);
}

void say(std::string_view text) {
  [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, text.data(), text.size());
}

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
  set_timer(patience_seconds);
  say("\ninterrupted: stopping after this measurement, in two seconds at most; press again to stop "
      "at once\n");
}

/// Handles the timer.
void give_up(int) {
  say("interrupted: this measurement takes too long and is dropped; start again with the same "
      "flags to continue\n");
  ::signal(received, SIG_DFL);
  ::raise(received);
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
  // The suites' deadlines use SIGALRM.
  const int expiry = SIGRTMIN;
  action.sa_handler = &give_up;
  sigaction(expiry, &action, &old_expiry_);
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = expiry;
  has_timer = ::timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 ? 1 : 0;
}

InterruptGuard::~InterruptGuard() {
  be_patient();
  if (has_timer != 0) ::timer_delete(timer);
  has_timer = 0;
  sigaction(SIGRTMIN, &old_expiry_, nullptr);
  if (received != 0) return;
  sigaction(SIGINT, &old_interrupt_, nullptr);
  sigaction(SIGTERM, &old_terminate_, nullptr);
}

int InterruptGuard::signal() const { return received; }

void InterruptGuard::be_patient() const { set_timer(0); }

}  // namespace benanza::harness
