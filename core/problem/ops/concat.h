#pragma once

#include "core/problem/operand.h"

namespace benanza {

/// Joins tensors along `axis`; all other extents are equal.
/// Key: concat/1x64x28x28_1x128x28x28_a1
struct Concat {
  std::vector<Dims> parts;
  std::int64_t axis = 0;

  bool operator==(const Concat&) const = default;

  static constexpr bool takes_steps = false;
  static bool owns(std::string_view op) { return op == "concat"; }
  std::string_view op() const { return "concat"; }
  void map(KeyFields& fields);

  std::vector<Operand> inputs() const;
  Dims output() const;
  double flops() const { return 0; }
};

}  // namespace benanza
