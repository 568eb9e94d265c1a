#include "record/capture/run_program.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include "core/base/child.h"
#include "core/base/file_descriptor.h"

namespace benanza::record {
namespace {

/// The two ends of the program's standard output.
struct Output {
  FileDescriptor ours;
  FileDescriptor theirs;
  bool is_terminal = false;
};

Output open_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error("cannot make a pipe");
  // A larger buffer makes a busy program block less often. If it is refused, the default stays.
  constexpr int wanted_bytes = 1 << 20;
  ::fcntl(ends[0], F_SETPIPE_SZ, wanted_bytes);
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1]), false};
}

/// A pseudo-terminal without output processing, which our own terminal does.
Output open_terminal() {
  termios mode{};
  winsize size{};
  if (::tcgetattr(STDOUT_FILENO, &mode) != 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) {
    return open_pipe();
  }
  mode.c_oflag &= ~static_cast<tcflag_t>(OPOST);
  int ours = -1;
  int theirs = -1;
  if (::openpty(&ours, &theirs, nullptr, &mode, &size) != 0) return open_pipe();
  ::fcntl(ours, F_SETFD, FD_CLOEXEC);
  ::fcntl(theirs, F_SETFD, FD_CLOEXEC);
  return {FileDescriptor(ours), FileDescriptor(theirs), true};
}

/// Delivers signals through a file descriptor during its lifetime.
class Signals {
 public:
  Signals() {
    sigset_t wanted;
    sigemptyset(&wanted);
    for (const int signal :
         {SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH}) {
      sigaddset(&wanted, signal);
    }
    ::sigprocmask(SIG_BLOCK, &wanted, &before_);
    pipe_before_ = std::signal(SIGPIPE, SIG_IGN);
    descriptor_ = FileDescriptor(::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
    if (descriptor_.get() < 0) throw Error("cannot wait for signals");
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals() {
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);
    std::signal(SIGPIPE, pipe_before_);
  }

  int descriptor() const { return descriptor_.get(); }
  const sigset_t& before() const { return before_; }
  bool pipe_was_ignored() const { return pipe_before_ == SIG_IGN; }

  std::optional<signalfd_siginfo> next() const {
    signalfd_siginfo info{};
    if (::read(descriptor_.get(), &info, sizeof info) != sizeof info) return std::nullopt;
    return info;
  }

 private:
  sigset_t before_{};
  void (*pipe_before_)(int) = SIG_DFL;
  FileDescriptor descriptor_;
};

pid_t spawn(std::vector<std::string> command, std::vector<std::string> environment,
            const Output& output, const Signals& signals) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, output.theirs.get(), STDOUT_FILENO);
  ::posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  if (!signals.pipe_was_ignored()) sigaddset(&defaults, SIGPIPE);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  ::posix_spawnattr_setsigmask(&attributes, &signals.before());
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t id = 0;
  const std::vector<char*> arguments = pointers(command);
  const std::vector<char*> variables = pointers(environment);
  const int code =
      ::posix_spawnp(&id, arguments[0], &actions, &attributes, arguments.data(), variables.data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (code == ENOENT) {
    throw NotStarted(command[0] + ": there is no such program; check its name and PATH", 127);
  }
  if (code != 0) {
    throw NotStarted(command[0] + ": cannot be run: " + std::strerror(code), 126);
  }
  return id;
}

/// The program's exit status, if it has exited.
std::optional<int> ended(pid_t id) {
  int status = 0;
  if (::waitpid(id, &status, WNOHANG) != id) return std::nullopt;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

class Run {
 public:
  Run(pid_t id, Output output, const Signals& signals, const Listener& listener)
      : id_(id), output_(std::move(output)), signals_(signals), listener_(listener) {
    output_.theirs = FileDescriptor();
  }

  int wait(const std::function<bool()>& writable) {
    while (!status_ || output_.ours.get() >= 0) {
      // Closed descriptors are negative, which poll() ignores.
      std::array<pollfd, 2> watched{pollfd{signals_.descriptor(), POLLIN, 0},
                                    pollfd{output_.ours.get(), POLLIN, 0}};
      const int ready = ::poll(watched.data(), watched.size(), listener_.idle_milliseconds);
      if (ready == 0) listener_.idle();
      if (watched[0].revents != 0) handle_signals();
      if (watched[1].revents != 0) read_output();
      if (!writable()) output_.ours = FileDescriptor();
    }
    return *status_;
  }

 private:
  void handle_signals() {
    while (const auto info = signals_.next()) {
      const int signal = static_cast<int>(info->ssi_signo);
      if (signal == SIGCHLD) {
        if (!status_) status_ = ended(id_);
      } else if (signal == SIGWINCH) {
        winsize size{};
        if (output_.is_terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
          ::ioctl(output_.ours.get(), TIOCSWINSZ, &size);
        }
      } else if (listener_.takes_signal && listener_.takes_signal(signal)) {
        continue;
      } else if (status_) {
        // The program has exited; only children that hold its output open remain.
        output_.ours = FileDescriptor();
      } else if (info->ssi_code != SI_KERNEL) {
        // The program receives the terminal's signals directly.
        ::kill(id_, signal);
      }
    }
  }

  void read_output() {
    std::array<char, 65536> buffer;
    const ssize_t count = ::read(output_.ours.get(), buffer.data(), buffer.size());
    if (count > 0) {
      listener_.output({buffer.data(), static_cast<std::size_t>(count)});
    } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
      // Reading a pseudo-terminal that nobody has open any more fails with EIO.
      output_.ours = FileDescriptor();
    }
  }

  pid_t id_;
  Output output_;
  const Signals& signals_;
  const Listener& listener_;
  std::optional<int> status_{};
};

}  // namespace

int run_program(const std::vector<std::string>& command,
                const std::vector<std::string>& environment, const Listener& listener,
                const std::function<bool()>& writable) {
  const Signals signals;
  Output output = ::isatty(STDOUT_FILENO) == 1 ? open_terminal() : open_pipe();
  const pid_t id = spawn(command, environment, output, signals);
  return Run(id, std::move(output), signals, listener).wait(writable);
}

}  // namespace benanza::record
