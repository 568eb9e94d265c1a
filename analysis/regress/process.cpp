#include "analysis/regress/process.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"

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

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
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

Process::Process(const ChildCommand& command) : program_(command.program), err_(command.err) {
  if (InterruptGuard::signal() != 0) throw Error("interrupted");
  Child child = start(command);
  child_ = child.id;
  mortal_.emplace(child_);
  to_ = std::move(child.to);
  from_ = std::move(child.from);
}

Process::~Process() {
  if (child_ <= 0) return;
  ::kill(child_, SIGTERM);
  // A suite that waits for a message then sees the end of input.
  { const FileDescriptor no_more = std::move(to_); }
  reap();
}

std::optional<int> Process::reap() {
  siginfo_t ended{};
  while (::waitid(P_PID, static_cast<id_t>(child_), &ended, WEXITED | WNOWAIT) < 0) {
    if (errno != EINTR) return std::nullopt;
  }
  mortal_.reset();
  int status = 0;
  ::waitpid(child_, &status, 0);
  child_ = 0;
  return status;
}

void Process::fail() {
  if (InterruptGuard::signal() != 0) throw Error("interrupted");
  finish();
  throw Error(program_.string() + ": ended before it was told to");
}

void Process::tell(std::string_view words) {
  if (InterruptGuard::signal() != 0 || !write_message(to_.get(), words)) fail();
}

std::string Process::listen() {
  std::optional<std::string> words = read_message(from_.get());
  if (!words) fail();
  return *std::move(words);
}

std::string Process::ask(std::string_view words) {
  tell(words);
  return listen();
}

int Process::wait() {
  { const FileDescriptor no_more = std::move(to_); }
  const std::optional<int> status = reap();
  if (!status) throw Error(program_.string() + ": was lost");
  return WIFEXITED(*status) ? WEXITSTATUS(*status) : 128 + WTERMSIG(*status);
}

void Process::finish() {
  if (finish_or_crash()) return;
  throw Error(program_.string() + ": " + last_line(read_file(err_)));
}

bool Process::finish_or_crash() {
  const int status = wait();
  // 2: some rows are incorrect or failed, but all are written.
  if (status == 0 || status == 2) return true;
  constexpr std::array crashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
  if (std::ranges::find(crashes, status - 128) != crashes.end()) return false;
  throw Error(fmt::format("{} ended with status {}: {}", program_.string(), status,
                          last_line(read_file(err_))));
}

}  // namespace benanza::regress
