#include "suites/verify/reference.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <type_traits>

#include "suites/verify/element_arithmetic.h"
#include "suites/verify/operators.h"

namespace benanza::verify {
namespace {

/// Combines x with y, which is exact.
Element combined(const Combine& step, const Element& x, double y) {
  const double size = std::abs(y);
  switch (step.kind) {
    case CombineKind::add:
      return {x.value + y, x.magnitude + size, x.carried};
    case CombineKind::sub:
      return {step.reversed ? y - x.value : x.value - y, x.magnitude + size, x.carried};
    case CombineKind::mul:
      return {x.value * y, x.magnitude * size, x.carried * size};
    case CombineKind::max:
      return {std::max(x.value, y), std::max(x.magnitude, size), x.carried};
    case CombineKind::min:
      return {std::min(x.value, y), std::max(x.magnitude, size), x.carried};
    case CombineKind::div: {
      if (!step.reversed) return {x.value / y, x.magnitude / size, x.carried / size};
      // The relative error of the quotient is that of x.
      const double factor = size / (x.value * x.value);
      return {y / x.value, factor * x.magnitude, factor * x.carried};
    }
  }
  throw std::logic_error("unknown step");
}

/// Applies the problem's steps to `result`. `operands` are the problem's; `at` lies in its output.
Element after_steps(const Problem& problem, Operands operands, std::size_t first, const Dims& at,
                    Element result) {
  for (const Step& step : problem.epilogue.steps) {
    if (const auto* function = std::get_if<Activation>(&step)) {
      result = activated(*function, result);
    } else {
      const auto& combine = std::get<Combine>(step);
      const std::int64_t place = ravel_broadcast(at, combine.y);
      result = combined(combine, result, operands[first++][static_cast<std::size_t>(place)]);
    }
  }
  return result;
}

}  // namespace

std::vector<Element> reference_elements(const Problem& problem, Operands operands,
                                        std::span<const std::int64_t> flat_indices,
                                        Precision precision) {
  const std::optional<std::size_t> bias = bias_operand(problem);
  const std::optional<std::size_t> residual = residual_operand(problem);
  return std::visit(
      [&](const auto& shape) {
        std::vector<Dims> all;
        for (const std::int64_t flat : flat_indices) {
          all.push_back(unravel(flat, shape.output()));
        }
        if constexpr (std::is_same_v<std::decay_t<decltype(shape)>, Recurrent>) {
          if (precision == Precision::int8) return byte_elements(shape, operands, all);
        }
        std::vector<Element> results = elements(shape, operands, all);
        if constexpr (requires(const Dims& at) { bias_index(shape, at); }) {
          for (std::size_t i = 0; i < results.size(); ++i) {
            const auto add = [&](std::optional<std::size_t> operand, std::int64_t index) {
              if (!operand) return;
              const double term = operands[*operand][static_cast<std::size_t>(index)];
              results[i].value += term;
              results[i].magnitude += std::abs(term);
            };
            add(bias, bias_index(shape, all[i]));
            add(residual, flat_indices[i]);
            if (problem.epilogue.activation) {
              results[i] = activated(*problem.epilogue.activation, results[i]);
            }
          }
        }
        if (!problem.epilogue.steps.empty()) {
          const std::size_t first = first_step_operand(problem);
          for (std::size_t i = 0; i < results.size(); ++i) {
            results[i] = after_steps(problem, operands, first, all[i], results[i]);
          }
        }
        return results;
      },
      problem.shape);
}

Element reference_element(const Problem& problem, Operands operands, std::int64_t flat_index) {
  return reference_elements(problem, operands, {&flat_index, 1}).front();
}

double reference(const Problem& problem, Operands operands, std::int64_t flat_index) {
  return reference_element(problem, operands, flat_index).value;
}

}  // namespace benanza::verify
