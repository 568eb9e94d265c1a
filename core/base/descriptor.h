#pragma once

#include <unistd.h>

#include <filesystem>
#include <utility>

namespace benanza {

/// Owns a POSIX file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  int get() const { return value_; }

 private:
  int value_;
};

/// Throws Error naming the path if it is a folder or cannot be opened.
Descriptor open_to_read(const std::filesystem::path& path);

}  // namespace benanza
