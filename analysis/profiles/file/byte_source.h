#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace benanza::analysis {

/// Bytes from front to back.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Returns how many bytes it wrote to `to`: fewer than `most` only at the end. Throws Error, one
  /// line without the path, if they cannot be read.
  virtual std::size_t read(char* to, std::size_t most) = 0;
};

struct OpenedSource {
  std::unique_ptr<ByteSource> bytes{};
  bool is_compressed = false;
};

/// Opens a text: a file, plain, gzipped or the only file of a zip archive. A file whose name ends
/// as the first part of a split one (.part0, .part1, .000, .001, .aa) is followed by the other
/// parts. Throws Error naming the path.
OpenedSource open_source(const std::filesystem::path& path);

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
