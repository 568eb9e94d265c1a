#pragma once

#include <cstdint>

#include "core/problem/problem.h"

/// Lower bounds on the work of a problem on any machine; Work counts what a plain call does.
namespace benanza {

// The products of one axis of a convolution, as sums of stride and dilation 1 that share no input
// (polyphase). The numbers are exact up to 2^53, and found in a time that does not depend on the
// extents.

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

/// The count of taps that some output uses; a lower limit of it for kernels above 2^16.
std::int64_t touched_taps(const Axis& axis);

/// So many of so many.
struct Share {
  std::int64_t part = 1;
  std::int64_t of = 1;
};
/// Of the elements of an operand, those that any algorithm reads: pixels that windows use, filter
/// taps that do not only meet padding, recurrent weights unless they multiply zeros alone.
Share needed_share(const Problem& problem, std::size_t operand);

/// Two per multiplication of a product. Convolutions: least_products() per axis, for every image
/// and pair of channels. Matrix products: 2 m n k; Strassen-like algorithms are not considered.
/// Attention: without the scores that a causal mask hides. Recurrent layers: without products with
/// a zero initial state. 0 for everything else, which may be folded into products or hidden behind
/// them.
double least_flops(const Problem& problem);

/// As least_flops(), but counts every product of a convolution that is not on padding: what a call
/// without transforms needs.
double direct_flops(const Problem& problem);

/// Bytes if every element needed is read once and the result is written once. Pixels that a window
/// steps over, elements that a broadcast repeats and unused inputs of a resampling do not count.
double least_read_bytes(const Problem& problem, Precision precision);
double least_bytes(const Problem& problem, Precision precision);
/// Of these, the bytes of an operand that a call may replace by its result, so that it reads and
/// writes them in one place: a residual, the full operand of an addition. They count in both.
double in_place_bytes(const Problem& problem, Precision precision);

}  // namespace benanza
