#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/file_descriptor.h"

namespace benanza::record {

/// Reads a file while another program writes it, and frees the disk space of what has been read.
class Tail {
 public:
  /// If the file cannot be opened, nothing is read.
  explicit Tail(const std::filesystem::path& file);

  /// Passes new bytes to `use`, preceded by those it left unused in the previous call. `use`
  /// returns the number of bytes it used.
  void read(const std::function<std::size_t(std::string_view bytes)>& use);
  /// Frees the disk space of all bytes that were used.
  void release();

 private:
  FileDescriptor file_;
  std::int64_t offset_ = 0;
  std::int64_t released_ = 0;
  std::string pending_;
};

}  // namespace benanza::record
