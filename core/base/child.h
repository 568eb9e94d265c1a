#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file_descriptor.h"

namespace benanza {

/// What to run. Paths that are empty: as this program's.
struct ChildCommand {
  std::filesystem::path program{};
  std::vector<std::string> arguments{};
  /// NAME=VALUE; empty: this program's.
  std::optional<std::vector<std::string>> environment{};
  /// Where its output and its errors go.
  std::filesystem::path out{};
  std::filesystem::path err{};
  /// Signals from the terminal do not reach it.
  bool own_group = false;
};

/// A program that was started: what is written to `to` it reads from descriptor child_in, what it
/// writes to descriptor child_out is read from `from`. Whoever started it waits for its end.
struct Child {
  pid_t id = 0;
  FileDescriptor to;
  FileDescriptor from;
};
inline constexpr int child_in = 3;
inline constexpr int child_out = 4;

/// Throws Error where it cannot be started.
Child start(const ChildCommand& command);

/// Messages of any bytes, with their length before them. False, and nothing, where the other end is
/// gone. The writer blocks SIGPIPE.
bool write_message(int descriptor, std::string_view message);
std::optional<std::string> read_message(int descriptor);

}  // namespace benanza
