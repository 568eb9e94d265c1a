#include "suites/cudnn/primitive/deviation.h"

#include <cmath>

namespace benanza::cudnn {

float inverse_deviation(float variance, float epsilon) {
  return static_cast<float>(
      1 / std::sqrt(static_cast<double>(variance) + static_cast<double>(epsilon)));
}

float variance_of(float inverse_deviation, float epsilon) {
  const double inverse = inverse_deviation;
  return static_cast<float>(1 / (inverse * inverse) - static_cast<double>(epsilon));
}

nvidia::StoredOtherwise InverseDeviation::to_library_value() const {
  return {index,
          [epsilon = epsilon](float variance) { return inverse_deviation(variance, epsilon); }};
}

nvidia::StoredOtherwise InverseDeviation::to_problem_value() const {
  return {index, [epsilon = epsilon](float stored) { return variance_of(stored, epsilon); }};
}

}  // namespace benanza::cudnn
