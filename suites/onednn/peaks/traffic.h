#pragma once

#include <cstddef>
#include <memory>

namespace benanza::onednn {

/// Moves bytes through memory on all threads, each in a part of its own, by the calls of the C
/// library.
class Traffic {
 public:
  /// read: memchr() for a byte that is not there; compare: memcmp() of two equal buffers; copy:
  /// memcpy(); fill: memset().
  enum class Kind { read, compare, copy, fill };
  static constexpr Kind all_kinds[] = {Kind::read, Kind::compare, Kind::copy, Kind::fill};

  /// Of two buffers of `bytes` each, written first by the threads that use them. Throws
  /// std::bad_alloc.
  explicit Traffic(std::size_t bytes);

  /// Bytes read and written in a second, in one pass.
  double rate(Kind kind);

 private:
  std::size_t bytes_;
  std::unique_ptr<unsigned char[]> first_;
  std::unique_ptr<unsigned char[]> second_;
};

}  // namespace benanza::onednn
