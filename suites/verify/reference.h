#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/problem/problem.h"

namespace benanza::verify {

/// Values of inputs(problem), in that order, each row-major and as long as its element_count.
using Operands = std::span<const std::vector<float>>;

/// One element of an exact result. `magnitude` is what the terms it was made of would give if none
/// of them cancelled (the sum of |a| |b|, say): the scale of the rounding error of any order of
/// summation. Never below |value|.
struct Element {
  double value = 0;
  double magnitude = 0;
  /// How much the result moves if every value that was computed, stored and used again has a
  /// relative error of 1, independent of the others: 0 where only inputs are used.
  double carried = 0;
};

/// Element `flat_index` (row-major, into output(problem)) of the result, computed in double
/// straight from the ONNX definition; the operands of an epilogue are the last ones. For a Copy the
/// index must be one that the view writes.
Element reference_element(const Problem& problem, Operands operands, std::int64_t flat_index);

/// Several elements of one result: for recurrent networks far cheaper than one by one.
std::vector<Element> reference_elements(const Problem& problem, Operands operands,
                                        std::span<const std::int64_t> flat_indices);

/// The value of reference_element.
double reference(const Problem& problem, Operands operands, std::int64_t flat_index);

}  // namespace benanza::verify
