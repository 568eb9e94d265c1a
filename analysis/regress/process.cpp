#include "analysis/regress/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"

namespace benanza::regress {
namespace {

struct Pipe {
  Descriptor read;
  Descriptor write;
};

/// Above the descriptors that a suite is given, and not inherited.
Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error("cannot make a pipe");
  const Descriptor low_read(ends[0]);
  const Descriptor low_write(ends[1]);
  constexpr int lowest = 10;
  return {Descriptor(::fcntl(ends[0], F_DUPFD_CLOEXEC, lowest)),
          Descriptor(::fcntl(ends[1], F_DUPFD_CLOEXEC, lowest))};
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

/// What a started program finds at its descriptors.
class FileActions {
 public:
  FileActions() {
    if (::posix_spawn_file_actions_init(&actions_) != 0) throw Error("cannot start a process");
  }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }

  void open(int number, const std::filesystem::path& path, int flags) {
    ::posix_spawn_file_actions_addopen(&actions_, number, path.c_str(), flags, 0644);
  }
  void give(const Descriptor& from, int number) {
    ::posix_spawn_file_actions_adddup2(&actions_, from.get(), number);
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

}  // namespace

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}
Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

Process::Process(const Command& command) : program_(command.program), err_(command.err) {
  if (InterruptGuard::signal() != 0) throw Error("interrupted");
  Pipe begin = make_pipe();
  Pipe end = make_pipe();
  FileActions actions;
  constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC;
  actions.open(0, "/dev/null", O_RDONLY);
  actions.open(1, command.out, flags);
  actions.open(2, command.err, flags);
  // As suites/harness/run/turns.h has them.
  actions.give(begin.read, 3);
  actions.give(end.write, 4);
  std::vector<std::string> words = command.arguments;
  words.insert(words.begin(), program_.string());
  std::vector<std::string> variables = command.environment;
  std::vector<char*> argv = pointers(words);
  std::vector<char*> envp = pointers(variables);
  if (::posix_spawn(&child_, program_.c_str(), actions.get(), nullptr, argv.data(), envp.data()) !=
      0) {
    throw Error(program_.string() + ": cannot be started");
  }
  mortal_.emplace(child_);
  begin_ = std::move(begin.write);
  end_ = std::move(end.read);
}

Process::~Process() {
  if (child_ <= 0) return;
  ::kill(child_, SIGTERM);
  // A suite that waits for a turn sees that there are no more.
  { const Descriptor no_more_turns = std::move(begin_); }
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
  { const Descriptor no_more_turns = std::move(begin_); }
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
