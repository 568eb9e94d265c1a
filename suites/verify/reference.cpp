#include "suites/verify/reference.h"

#include <cmath>

#include "suites/verify/coordinates.h"
#include "suites/verify/operators.h"

namespace benanza::verify {

std::vector<Element> reference_elements(const Problem& problem, Operands operands,
                                        std::span<const std::int64_t> flat_indices) {
  const std::optional<std::size_t> bias = bias_operand(problem);
  const std::optional<std::size_t> residual = residual_operand(problem);
  return std::visit(
      [&](const auto& shape) {
        std::vector<Dims> all;
        for (const std::int64_t flat : flat_indices) {
          all.push_back(unravel(flat, shape.output()));
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
        return results;
      },
      problem.shape);
}

bool is_product(const Problem& problem) {
  return std::visit([](const auto& shape) { return is_product(shape); }, problem.shape);
}

Element reference_element(const Problem& problem, Operands operands, std::int64_t flat_index) {
  return reference_elements(problem, operands, {&flat_index, 1}).front();
}

double reference(const Problem& problem, Operands operands, std::int64_t flat_index) {
  return reference_element(problem, operands, flat_index).value;
}

}  // namespace benanza::verify
