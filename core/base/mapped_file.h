#pragma once

#include <filesystem>
#include <string_view>

namespace benanza {

/// The bytes of a regular file, mapped read-only: only the pages that are looked at are read.
class MappedFile {
 public:
  /// Throws Error naming the path if it is no regular file or cannot be mapped.
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::string_view bytes() const { return {data_, size_}; }

  /// Says that what lies before `position` is done with, so that it need not stay in memory.
  /// Looking at it again is allowed and reads it again.
  void forget_before(const char* position);

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t forgotten_ = 0;
};

}  // namespace benanza
