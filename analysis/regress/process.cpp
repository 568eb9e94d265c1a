#include "analysis/regress/process.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"

namespace benanza::regress {
namespace {

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

Process::Process(const ChildCommand& command) : program_(command.program), err_(command.err) {
  if (InterruptGuard::signal() != 0) throw Error("interrupted");
  // Turns are handed out as suites/harness/run/turns.h has them.
  Child child = start(command);
  child_ = child.id;
  mortal_.emplace(child_);
  begin_ = std::move(child.to);
  end_ = std::move(child.from);
}

Process::~Process() {
  if (child_ <= 0) return;
  ::kill(child_, SIGTERM);
  // A suite that waits for a turn sees that there are no more.
  { const FileDescriptor no_more_turns = std::move(begin_); }
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

bool Process::turn() {
  const char byte = '.';
  if (::write(begin_.get(), &byte, 1) != 1) return false;
  char ended = 0;
  ssize_t taken = 0;
  do {
    taken = ::read(end_.get(), &ended, 1);
  } while (taken < 0 && errno == EINTR);
  return taken == 1;
}

int Process::wait() {
  { const FileDescriptor no_more_turns = std::move(begin_); }
  const std::optional<int> status = reap();
  if (!status) throw Error(program_.string() + ": was lost");
  return WIFEXITED(*status) ? WEXITSTATUS(*status) : 128 + WTERMSIG(*status);
}

void Process::finish() {
  const int status = wait();
  // 2: rows are incorrect or failed, and written.
  if (status == 0 || status == 2) return;
  throw Error(fmt::format("{} ended with status {}: {}", program_.string(), status,
                          last_line(read_file(err_))));
}

void take_turns(Process& before, Process& after, bool before_first) {
  bool left_before = true;
  bool left_after = true;
  for (bool first = before_first; left_before || left_after; first = !first) {
    for (const bool is_before : {first, !first}) {
      bool& left = is_before ? left_before : left_after;
      if (left) left = (is_before ? before : after).turn();
    }
  }
}

}  // namespace benanza::regress
