#pragma once

#include <cstdint>

/// The products of one axis of a convolution, as sums of stride and dilation 1 that share no input
/// (polyphase). The numbers are exact up to 2^53, and found in a time that does not depend on the
/// extents.
namespace benanza {

/// One axis of a convolution: output o and kernel tap t use input o * stride - pad + t * dilation,
/// if it exists.
struct Axis {
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t pad = 0;
};

/// Pairs of an output and a tap that use an input, not padding: the products of the direct
/// algorithm.
double all_products(const Axis& axis);

/// The fewest multiplications that known algorithms need for the axis. At stride and dilation 1,
/// r taps from n inputs to m outputs take the least of m + r - 1 (S. Winograd, Arithmetic
/// Complexity of Computations, 1980; also Toom-Cook), n + r - 1 and m + n - 1; inputs, outputs and
/// taps that only meet padding do not count. A stride s and a dilation d without a common divisor
/// split the axis into d times s such sums: outputs that are congruent modulo d, with taps that are
/// congruent modulo s. Of a common divisor only the inputs at its multiples matter.
double least_products(const Axis& axis);

/// The count of inputs that some output uses.
double touched_inputs(const Axis& axis);

}  // namespace benanza
