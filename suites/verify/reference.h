#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/problem/problem.h"

namespace benanza::verify {

/// The values of inputs(problem), in that order, each row-major with element_count elements.
using Operands = std::span<const std::vector<float>>;

/// One element of an exact result. `magnitude` is the result if none of its terms cancelled (the
/// sum of |a| |b|, say): the scale of the rounding error of any order of summation. Never below
/// |value|.
struct Element {
  double value = 0;
  double magnitude = 0;
  /// How much the result changes if every value that was computed, stored and used again has an
  /// independent relative error of 1; 0 if only inputs are used.
  double carried = 0;
};

/// Returns element `flat_index` (row-major, into output(problem)) of the result, computed in double
/// directly from the ONNX definition; the operands of an epilogue are the last ones. For a Copy the
/// index must be one that the view writes.
Element reference_element(const Problem& problem, Operands operands, std::int64_t flat_index);

/// Returns several elements of one result; for recurrent networks far cheaper than one by one. At
/// int8, the operands of a recurrence are in the units of harness/int8_scale.h.
std::vector<Element> reference_elements(const Problem& problem, Operands operands,
                                        std::span<const std::int64_t> flat_indices,
                                        Precision precision = Precision::fp32);

/// Returns the value of reference_element().
double reference(const Problem& problem, Operands operands, std::int64_t flat_index);

}  // namespace benanza::verify
