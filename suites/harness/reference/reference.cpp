#include "harness/reference/reference.h"

#include <cmath>

#include "harness/reference/coordinates.h"
#include "harness/reference/operators.h"

namespace benanza {

Element reference_element(const Problem& problem, Operands operands, std::int64_t flat_index) {
  return std::visit(
      [&](const auto& shape) {
        const Dims at = reference_detail::unravel(flat_index, shape.output());
        Element result = reference_detail::element(shape, operands, at);
        if constexpr (requires { reference_detail::bias_index(shape, at); }) {
          if (problem.epilogue.bias) {
            const auto channel = static_cast<std::size_t>(reference_detail::bias_index(shape, at));
            const double bias = operands.back()[channel];
            result.value += bias;
            result.magnitude += std::abs(bias);
          }
        }
        return result;
      },
      problem.shape);
}

double reference(const Problem& problem, Operands operands, std::int64_t flat_index) {
  return reference_element(problem, operands, flat_index).value;
}

}  // namespace benanza
