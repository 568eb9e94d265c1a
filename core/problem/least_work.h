#pragma once

#include <cstdint>

#include "core/problem/problem.h"

/// The least that a problem asks of any machine, where Work counts what a plain call does.
namespace benanza {

/// One axis of a convolution: outputs o and taps t of a kernel meet input o * stride - pad +
/// t * dilation, where there is one.
struct Axis {
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t pad = 0;
};

/// Multiplications that the axis needs by the fewest that known algorithms do with: of a kernel of
/// r at stride 1, m outputs of n inputs take the least of m + r - 1 (S. Winograd, Arithmetic
/// Complexity of Computations, 1980; as by Toom and Cook), n + r - 1, m + n - 1 and the products
/// that the axis has, taps on padding left out. A stride or a dilation makes several such sums of
/// what is a multiple of it apart, each counted by itself (polyphase); where there are both, the
/// products are counted.
std::int64_t least_products(const Axis& axis);

/// Two per multiplication of a product: convolutions by least_products() for every axis, image and
/// pair of channels; matrix products 2 m n k: algorithms like Strassen's are not considered;
/// attention without what a causal mask hides; recurrent layers without products with an initial
/// state of zeros. 0 for everything else, which may be folded, or hidden behind products.
double least_flops(const Problem& problem);

/// The same with every product of a convolution that is not on padding: what a call needs that
/// multiplies no transforms.
double direct_flops(const Problem& problem);

/// Every element that is needed read once, and the result written once. Pixels that a window steps
/// over, elements that a broadcast repeats and inputs of a resampling do not count.
double least_read_bytes(const Problem& problem, Precision precision);
double least_bytes(const Problem& problem, Precision precision);

}  // namespace benanza
