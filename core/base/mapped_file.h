#pragma once

#include <filesystem>
#include <string_view>

namespace benanza {

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
