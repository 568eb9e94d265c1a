#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/problem/problem.h"

namespace benanza::harness {

/// Where the calls of a sequence have their data, as in a model that runs: a call's first operand
/// lies where the previous call left its result, which two places take in turn. A third holds what
/// earlier calls left (the second operand of a sum), a fourth is scratch memory. Weights, the
/// operand of the first call, and what does not fit have memory of their own.
class SharedPlaces {
 public:
  /// The places must outlive all primitives of the sequence. `scratch` may be empty.
  SharedPlaces(std::array<std::span<std::byte>, 3> data, std::span<std::byte> scratch)
      : data_(data), scratch_(scratch) {}

  /// The primitive created next is of this problem.
  void begin(const Problem& problem);
  /// Returns the place of operand `index` of inputs(problem), `bytes` long; null: its own memory.
  std::byte* operand(std::size_t index, std::int64_t bytes) const;
  /// The same for the first result.
  std::byte* result(std::int64_t bytes) const;
  std::byte* scratch(std::int64_t bytes) const;

 private:
  std::array<std::span<std::byte>, 3> data_;
  std::span<std::byte> scratch_;
  std::size_t calls_ = 0;
  /// The first operand whose values may be any.
  std::optional<std::size_t> first_;
  std::optional<std::size_t> second_;
};

/// Bytes that each place needs so that the largest data operand or result of these problems fits,
/// with every channel padded to 16.
std::int64_t place_bytes(std::span<const Problem> problems);

}  // namespace benanza::harness
