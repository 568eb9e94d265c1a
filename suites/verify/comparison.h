#pragma once

#include <string>

#include "core/problem/precision.h"
#include "suites/harness/way.h"
#include "suites/verify/operators.h"
#include "suites/verify/reference.h"
#include "suites/verify/verify.h"

/// What a call has computed beside the samples of its case.
namespace benanza::verify {

/// How far a correct call may be from the exact element, for inputs that the precision holds
/// exactly. The sum of:
///   Storing the result: one unit in the last place of the stored type, plus its smallest number.
///   Adding up `partial_sums` (harness::Traits) in the stored type: each addition rounds
///   the running sum by half a unit in its last place at most, with a random sign. In total,
///   sqrt(partial_sums) / 2 units of the running sum, which is about the result plus twice a
///   typical sum, element.magnitude / sqrt(length): four or five standard deviations of uniform
///   errors of a growing sum. For four slices (split-k), two units of a typical sum: believed, not
///   shown, to explain cuDNN 9.14's result for 1x832x14x14_k128x1x1 in bf16
///   (implicit_precomp_gemm), 1.4 units off at one of 200 places.
///   Storing what is used again (the states of a recurrence, the weights of attention): one unit in
///   the last place of the type that products are made of (tf32 has 10 bits), times
///   element.carried.
///   Summing `length` terms in fp32: (16 + sqrt(length) + length / 256 * alike) * 2^-24 *
///   element.magnitude. The square root is the sum of rounding errors of random sign; 16 leaves
///   room for transforms (Winograd) and for approximations of exp and pow. Each of very many terms
///   is near the last place of their sum, equal ones are rounded alike, and errors keep their sign,
///   the more so if terms have one sign: `alike` is 1 + 3 * |element.value| / element.magnitude.
///   oneDNN's softmax of 3,040,000 elements is off by 8.4e-4, 0.3 * length / 64 * 2^-24.
///   int8 (element in units of the stored integer): half a unit, that is, the nearest integer, or
///   either one at a tie, plus the fp32 error. A recurrence uses stored bytes again: plus
///   element.carried, twice the largest error if each of them is the nearest integer.
/// The tests plant errors to show that none of these terms hides one.
/// An infinite element must be matched exactly.
/// `amplification` multiplies the fp32 error of summing: Traits::rounding_amplification.
double tolerance(Precision precision, const Element& element, std::int64_t length,
                 double amplification = 1, double partial_sums = harness::Traits::few_partial_sums);

/// The largest finite number of a floating-point precision; int8's as a float.
double largest_number(Precision precision);

/// Returns the largest allowed root mean square of (error / typical sum) for products requested in
/// fp32 with operands of 24 bits; a typical sum is magnitude / sqrt(length). Products in TF32 have
/// about 2^-11.7, those in bf16 eight times as much: 2^-14 is a fifth of the former. Sums in fp32
/// have less than sqrt(length) * 2^-24, even if added from the first term to the last;
/// `amplification` as above: 512 would hide TF32. Needed in addition to tolerance(), which for long
/// sums allows each place an error as large as TF32's.
double fp32_product_tolerance(std::int64_t length, double amplification);

/// Returns the error allowed at any place for an algorithm that transforms its operands
/// (Traits::transforms). Because a tile's transforms are stored and summed as a whole, the
/// largest sum of the tensor, `largest_magnitude`, decides, not the place's own: 16 units in the
/// last place of the type that products are made of (tf32 has 10 bits), of one channel's share of
/// it. (With many channels, more would hide a missing bias; their sums have needed no more than
/// tolerance() so far.) The root mean square of all errors may be half of it. cuDNN 9.14's
/// winograd_nonfused on an H200, in fp16 with depthwise filters of 5x5, was off by up to 7.8 units
/// of the largest sum, which is 36 of the place's own. In fp32 it is off by 5e-4 there, as much as
/// TF32, and is reported as `incorrect`: large tiles amplify rounding a thousandfold.
double transform_tolerance(Precision precision, const Problem& problem, double largest_magnitude);

/// The first mistake in the result of `primitive`, which has run; empty if there is none.
std::string mistake_of(harness::Primitive& primitive, const Problem& problem, Precision precision,
                       const VerificationCase& expected, const harness::Traits& traits);

/// Replaces values at or beyond the precision's largest number by infinity, because libraries store
/// values out of range as either of them.
double in_range(double value, Precision precision);

/// Where the problem's result is written.
WrittenView view_of(const Problem& problem);

/// The place of element `at` in memory.
std::int64_t position(const Dims& at, const Dims& strides);

}  // namespace benanza::verify
