#pragma once

#include "core/problem/operand.h"

namespace benanza {

/// Rotary position embedding: element i of a row's first half and element i of its second half are
/// a point that is rotated by its own angle: (x1 cos - x2 sin, x2 cos + x1 sin). If `interleaved`,
/// the points are neighbours: elements 2 i and 2 i + 1. `input` has four axes, rows last: batch,
/// heads, positions, size, or positions before heads. `table` are the extents of the cosines and of
/// the sines: each axis the input's or 1, the last one half a row (an entry per point), or a whole
/// row if every element has its own.
/// Keys: rotary/1x32x128x64_t1x1x128x64; rotary/1x32x128x64_t1x1x128x32_interleaved
struct Rotary {
  Dims input;
  Dims table;
  bool interleaved = false;

  bool operator==(const Rotary&) const = default;

  static constexpr bool takes_steps = false;
  static bool owns(std::string_view op) { return op == "rotary"; }
  std::string_view op() const { return "rotary"; }
  void map(KeyFields& fields);

  /// x, cosines, sines.
  std::vector<Operand> inputs() const;
  Dims output() const { return input; }
  /// Two products and a sum for every element.
  double flops() const { return 3.0 * static_cast<double>(element_count(input)); }
  std::int64_t reduction_length() const { return 2; }
  /// Length of half a row.
  std::int64_t half() const { return input.back() / 2; }
};

}  // namespace benanza
