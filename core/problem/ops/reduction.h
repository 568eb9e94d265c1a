#pragma once

#include <array>
#include <optional>

#include "core/problem/operand.h"

namespace benanza {

enum class ReductionKind { mean, sum, max, min, product, l1, l2, sum_square };

/// Reduces `axes` (ascending, at least one) of `input`; reduced axes stay with extent 1. l1 sums
/// magnitudes; sum_square sums squares, and l2 is its square root.
/// Keys: reducesum/1x64x7x7_a2.3, reducemean/1x64x7x7_a2.3
struct Reduction {
  ReductionKind kind = ReductionKind::mean;
  Dims input;
  Dims axes;

  bool operator==(const Reduction&) const = default;

  static bool owns(std::string_view op);
  std::string_view op() const;
  void map(KeyFields& fields);

  std::vector<Operand> inputs() const { return {{.name = "input", .dims = input}}; }
  Dims output() const;
  /// Extents of the input in memory: {kept, reduced, kept}; kept ones behind the reduced are 1 if
  /// those are last. Empty if the reduced axes are not adjacent. `channels_last`: axis 1 is the
  /// last in memory, if there are at least three.
  std::optional<std::array<std::int64_t, 3>> adjacent(bool channels_last) const;
  /// One per input element, two if it is squared first.
  double flops() const {
    const bool squares = kind == ReductionKind::l2 || kind == ReductionKind::sum_square;
    return (squares ? 2.0 : 1.0) * static_cast<double>(element_count(input));
  }
  std::int64_t reduction_length() const {
    const bool picks = kind == ReductionKind::max || kind == ReductionKind::min;
    return picks ? 1 : element_count(input) / element_count(output());
  }
};

}  // namespace benanza
