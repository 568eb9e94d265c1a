#pragma once

#include <cstdint>

#include "core/problem/problem.h"

/// Lower bounds on the work of a problem on any machine; Work counts what a plain call does.
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

/// The fewest multiplications that known algorithms need for the axis. At stride 1, a kernel of r
/// taps from n inputs to m outputs takes the least of m + r - 1 (S. Winograd, Arithmetic Complexity
/// of Computations, 1980; also Toom-Cook), n + r - 1, m + n - 1 and the products of the direct
/// algorithm, without taps on padding. A stride or a dilation splits the axis into several
/// independent such sums (polyphase); with both, the direct products are counted.
std::int64_t least_products(const Axis& axis);

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

}  // namespace benanza
