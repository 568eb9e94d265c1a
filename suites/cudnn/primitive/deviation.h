#pragma once

#include "suites/nvidia/run/primitive.h"

namespace benanza::cudnn {

/// The library's representation of a variance: 1 / sqrt(variance + epsilon).
float inverse_deviation(float variance, float epsilon);
/// The reverse.
float variance_of(float inverse_deviation, float epsilon);

/// An operand, or a result, that is a variance in the problem and its inverse_deviation() in the
/// library.
struct InverseDeviation {
  /// Of the operands, or of the results.
  std::size_t index = 0;
  float epsilon = 0;

  nvidia::StoredOtherwise to_library_value() const;
  nvidia::StoredOtherwise to_problem_value() const;
};

}  // namespace benanza::cudnn
