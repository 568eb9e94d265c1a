#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace benanza {

/// The whole contents of `path`. Throws Error naming the path if it cannot be read.
std::string read_file(const std::filesystem::path& path);

/// `size` bytes of `path`, starting at `offset`. Throws Error naming the path if it cannot be read
/// or is too short.
std::string read_part(const std::filesystem::path& path, std::uint64_t offset, std::size_t size);

/// Writes `text` to a temporary file beside `path`, flushes it to disk, then renames it: a reader
/// sees the old file or the new one, never a part. A symbolic link is kept and its target replaced.
/// Throws Error and removes the temporary file on failure; also throws Error if `path` exists and
/// is not a regular file.
void write_file(const std::filesystem::path& path, std::string_view text);

/// Like write_file, but leaves a file that already holds `text` untouched. Returns true if it
/// wrote.
bool write_file_if_changed(const std::filesystem::path& path, std::string_view text);

/// Creates `path` and its parents. Throws Error naming the path if that fails.
void make_directories(const std::filesystem::path& path);

/// A regular file mapped read-only: only accessed pages are read.
class MappedFile {
 public:
  /// Throws Error naming the path if it is no regular file or cannot be mapped.
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::string_view bytes() const { return {data_, size_}; }

  /// Hints that the bytes before `position` are no longer needed in memory. They stay accessible
  /// and are read again on access.
  void forget_before(const char* position);

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t forgotten_ = 0;
};

}  // namespace benanza
