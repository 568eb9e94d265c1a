#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file_descriptor.h"

namespace benanza {

struct ChildCommand {
  std::filesystem::path program{};
  std::vector<std::string> arguments{};
  /// NAME=VALUE; empty: inherited from this program.
  std::optional<std::vector<std::string>> environment{};
  /// Files for its standard output and standard error; inherited if empty.
  std::filesystem::path out{};
  std::filesystem::path err{};
  /// Runs in its own process group, so that signals from the terminal do not reach it.
  bool own_group = false;
};

/// A started program: it reads what is written to `to` from descriptor child_in, and what it writes
/// to descriptor child_out can be read from `from`. The caller of start() must wait for it to exit.
struct Child {
  pid_t id = 0;
  FileDescriptor to;
  FileDescriptor from;
};
inline constexpr int child_in = 3;
inline constexpr int child_out = 4;

/// The words as exec() takes them: a null pointer follows the last one.
std::vector<char*> pointers(std::vector<std::string>& words);

/// Throws Error if the program cannot be started.
Child start(const ChildCommand& command);

/// Send and receive a message of any bytes, prefixed with its length. Return false or nothing if
/// the other end is closed. The writer must block SIGPIPE.
bool write_message(int descriptor, std::string_view message);
std::optional<std::string> read_message(int descriptor);

}  // namespace benanza
