#pragma once

#include <cstddef>
#include <memory>

namespace benanza::onednn {

/// Reads and writes memory on all threads, each in its own part, with functions of the C library.
class Traffic {
 public:
  /// read: memchr() for a byte that does not occur; compare: memcmp() of two equal buffers; copy:
  /// memcpy(); fill: memset().
  enum class Kind { read, compare, copy, fill };
  static constexpr Kind all_kinds[] = {Kind::read, Kind::compare, Kind::copy, Kind::fill};

  /// Allocates two buffers of `bytes` each, first written by the threads that use them. Throws
  /// std::bad_alloc.
  explicit Traffic(std::size_t bytes);

  /// Makes one pass; returns the bytes read and written per second.
  double rate(Kind kind);

 private:
  std::size_t bytes_;
  std::unique_ptr<unsigned char[]> first_;
  std::unique_ptr<unsigned char[]> second_;
};

}  // namespace benanza::onednn
