#pragma once

#include "core/problem/precision.h"
#include "suites/harness/primitive.h"
#include "suites/verify/reference.h"

namespace benanza::verify {

/// How far from the exact element a correct call may be, for inputs that the precision holds
/// exactly:
///   storing the result: one unit in the last place of the stored type, and its smallest number;
///   adding up `partial_sums` of them (Primitive::partial_sums()) in the same type: after each, the
///   sum so far is rounded, half a unit in its last place at most, with a random sign: in all
///   sqrt(partial_sums) / 2 units of what the sum is on the way, which is about the result and
///   twice a typical sum, element.magnitude / sqrt(length): four or five standard deviations of
///   even errors of a sum that grows. Of four slices (split-k) two units of a typical sum,
///   believed, not shown, to explain what cuDNN 9.14 makes of 1x832x14x14_k128x1x1 in bf16
///   (implicit_precomp_gemm), 1.4 units off at one of 200 places;
///   storing what is used again (the states of a recurrence, the weights of attention), one unit in
///   the last place of the type that products are made of (tf32 has 10 bits), element.carried;
///   summing `length` terms in fp32: (16 + sqrt(length) + length / 256) * 2^-24 *
///   element.magnitude. The square root is what rounding errors of random sign add up to, and 16
///   leaves room for transforms (Winograd) and for approximations of exp and pow. Of very many
///   terms each is near the last place of their sum, equal ones are rounded alike, and errors keep
///   their sign: oneDNN's softmax of 3,040,000 elements is off by 4e-4, 0.5 * length / 256 * 2^-24;
///   int8 (element in units of the stored integer): half a unit, that is, the nearest integer, and
///   at a tie either of the two, plus the fp32 error.
/// The tests plant errors to show that none of these hides one.
/// An infinite element is right only as itself.
/// `amplification` multiplies the fp32 error of summing: Primitive::rounding_amplification().
double tolerance(Precision precision, const Element& element, std::int64_t length,
                 double amplification = 1,
                 double partial_sums = harness::Primitive::few_partial_sums);

/// The largest finite number that a floating precision holds; int8's as a float.
double largest_number(Precision precision);

/// How large the root mean square of (error / typical sum) may be of products that were asked for
/// in fp32, of operands of 24 bits; a typical sum is magnitude / sqrt(length). Products of TF32
/// have about 2^-11.7, those of bf16 eight times as much: 2^-14 is a fifth of the former. Sums in
/// fp32 have less than sqrt(length) * 2^-24, even from the first term to the last; `amplification`
/// as above: 512 hide TF32. Needed beside tolerance(): of long sums that allows each place as much
/// as TF32 is off.
double fp32_product_tolerance(std::int64_t length, double amplification);

/// How far off an algorithm may be that transforms its operands (harness::transforms()), at any
/// place: a tile's transforms are stored and added up as a whole, so that the largest sum of the
/// tensor decides, `largest_magnitude`, not the place's own: 16 units in the last place of the
/// type that products are made of (tf32 has 10 bits), of one channel's share of it. (More of many
/// channels would hide a missing bias; their sums have needed no more than tolerance() so far.) The
/// root mean square of all errors may be half of it. cuDNN 9.14's winograd_nonfused on an H200, in
/// fp16 with depthwise filters of 5x5, was off by up to 7.8 units of the largest sum, which is 36
/// of the place's own. In fp32 it is off by 5e-4 there, as much as TF32, and `incorrect`: large
/// tiles amplify rounding a thousand times.
double transform_tolerance(Precision precision, const Problem& problem, double largest_magnitude);

}  // namespace benanza::verify
