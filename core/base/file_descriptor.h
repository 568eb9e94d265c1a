#pragma once

#include <unistd.h>

#include <filesystem>
#include <utility>

namespace benanza {

/// Owns a POSIX file descriptor; -1: none.
class FileDescriptor {
 public:
  explicit FileDescriptor(int value = -1) : value_(value) {}
  FileDescriptor(FileDescriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~FileDescriptor() {
    if (value_ >= 0) ::close(value_);
  }
  int get() const { return value_; }

 private:
  int value_;
};

/// Throws Error naming the path if it is a folder or cannot be opened.
FileDescriptor open_to_read(const std::filesystem::path& path);

}  // namespace benanza
