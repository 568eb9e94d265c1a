#include "core/base/child.h"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <cerrno>

#include "core/base/error.h"
#include "core/base/file_descriptor.h"
#include "core/base/text.h"

namespace benanza {
namespace {

struct Pipe {
  FileDescriptor read;
  FileDescriptor write;
};

/// Both ends are above the descriptors given to a child, and are not inherited.
Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error("cannot make a pipe");
  const FileDescriptor low_read(ends[0]);
  const FileDescriptor low_write(ends[1]);
  constexpr int lowest = 10;
  return {FileDescriptor(::fcntl(ends[0], F_DUPFD_CLOEXEC, lowest)),
          FileDescriptor(::fcntl(ends[1], F_DUPFD_CLOEXEC, lowest))};
}

/// The descriptors of a started program.
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
  void give(const FileDescriptor& from, int number) {
    ::posix_spawn_file_actions_adddup2(&actions_, from.get(), number);
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

class Attributes {
 public:
  explicit Attributes(bool own_group) {
    if (::posix_spawnattr_init(&attributes_) != 0) throw Error("cannot start a process");
    if (own_group) ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
  }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

bool read_all(int descriptor, char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t taken = ::read(descriptor, bytes, count);
    if (taken < 0 && errno == EINTR) continue;
    if (taken <= 0) return false;
    bytes += taken;
    count -= static_cast<std::size_t>(taken);
  }
  return true;
}

}  // namespace

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

Child start(const ChildCommand& command) {
  Pipe to = make_pipe();
  Pipe from = make_pipe();
  FileActions actions;
  constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC;
  actions.open(0, "/dev/null", O_RDONLY);
  if (!command.out.empty()) actions.open(1, command.out, flags);
  if (!command.err.empty()) actions.open(2, command.err, flags);
  actions.give(to.read, child_in);
  actions.give(from.write, child_out);
  const Attributes attributes(command.own_group);
  std::vector<std::string> words = command.arguments;
  words.insert(words.begin(), command.program.string());
  std::vector<char*> argv = pointers(words);
  std::vector<std::string> variables = command.environment.value_or(std::vector<std::string>());
  std::vector<char*> envp = pointers(variables);
  Child child;
  if (::posix_spawn(&child.id, command.program.c_str(), actions.get(), attributes.get(),
                    argv.data(), command.environment ? envp.data() : environ) != 0) {
    throw Error(command.program.string() + ": cannot be started");
  }
  child.to = std::move(to.write);
  child.from = std::move(from.read);
  return child;
}

bool write_message(int descriptor, std::string_view message) {
  return write_all(descriptor, std::to_string(message.size()) + '\n') &&
         write_all(descriptor, message);
}

std::optional<std::string> read_message(int descriptor) {
  std::string length;
  for (char digit = 0; read_all(descriptor, &digit, 1) && digit != '\n';) length += digit;
  const auto size = text::number<std::size_t>(length);
  if (!size) return std::nullopt;
  std::string message(*size, '\0');
  if (!read_all(descriptor, message.data(), *size)) return std::nullopt;
  return message;
}

}  // namespace benanza
