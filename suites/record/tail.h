#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/file_descriptor.h"

namespace benanza::record {

/// Reads a file that another program writes, as it grows, and gives its room on the disk back.
class Tail {
 public:
  /// Nothing is read where it cannot be opened.
  explicit Tail(const std::filesystem::path& file);

  /// `use` gets what is new, with what it left of the call before, and returns how many bytes it
  /// used.
  void read(const std::function<std::size_t(std::string_view bytes)>& use);
  /// What was used is not needed any more.
  void release();

 private:
  FileDescriptor file_;
  std::int64_t offset_ = 0;
  std::int64_t released_ = 0;
  std::string pending_;
};

}  // namespace benanza::record
