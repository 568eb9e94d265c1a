#include "suites/harness/conditions/data_kind.h"

#include <variant>

namespace benanza::harness {
namespace {

template <class... Shapes>
bool is_one_of(const Shape& shape) {
  return (std::holds_alternative<Shapes>(shape) || ...);
}

bool sums_squares(const Shape& shape) {
  return is_one_of<LayerNormalization, InstanceNormalization, BatchNormalizationTraining,
                   BatchNormalizationGradient, LayerNormalizationGradient>(shape);
}

}  // namespace

bool has_all_bits(const Problem& problem, Precision precision) {
  if (problem.packed && problem.packed->rounds_data) return false;
  if (precision == Precision::fp32) return is_product(problem) || sums_squares(problem.shape);
  return precision == Precision::tf32 && sums_squares(problem.shape);
}

std::string data_kind(const Problem& problem, Precision precision) {
  return has_all_bits(problem, precision) ? "random, 24 bits" : "random, 4 bits";
}

}  // namespace benanza::harness
