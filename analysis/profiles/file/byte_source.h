#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>

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

}  // namespace benanza::analysis
