#pragma once

#include "core/problem/polyphase.h"
#include "core/problem/problem.h"

/// Lower bounds on the work of a problem on any machine; Work counts what a plain call does.
namespace benanza {

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
