#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "analysis/profiles/file/byte_source.h"

namespace benanza::analysis {

/// Reads a file (open_source()) from front to back and keeps only the part that is asked for.
class TextWindow {
 public:
  /// Bytes that may be read behind text(), of no meaning.
  static constexpr std::size_t padding = 64;

  /// Throws Error naming the path if it cannot be read.
  explicit TextWindow(std::filesystem::path path);

  /// What was read and not skipped. Valid until read_more().
  std::string_view text() const { return {buffer_.data() + begin_, end_ - begin_}; }
  /// Where text() starts, from the start of the (decompressed) text.
  std::uint64_t offset() const { return offset_; }
  void skip(std::size_t bytes) {
    begin_ += bytes;
    offset_ += bytes;
  }
  /// Extends text(); false at the file's end. Throws Error if it cannot be read, or is
  /// compressed and damaged or cut short.
  bool read_more();
  bool is_compressed() const { return source_.is_compressed; }

 private:
  std::filesystem::path path_;
  OpenedSource source_;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;
};

}  // namespace benanza::analysis
