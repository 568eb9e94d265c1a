#include <cmath>

#include "suites/verify/operators.h"

namespace benanza::verify {
namespace {

std::int64_t group_of(const GroupedGemm& shape, std::int64_t row) {
  std::int64_t group = 0;
  for (std::size_t run = 0; run < shape.groups.size(); ++run) {
    const std::int64_t rows = shape.groups[run] * shape.m[run];
    if (row < rows) return group + row / shape.m[run];
    row -= rows;
    group += shape.groups[run];
  }
  return group;
}

}  // namespace

Element element(const GroupedGemm& shape, Operands operands, const Dims& at) {
  const float* a = operands[0].data() + at[0] * shape.k;
  const float* b = operands[1].data() + group_of(shape, at[0]) * shape.k * shape.n;
  Element sum;
  for (std::int64_t i = 0; i < shape.k; ++i) {
    const std::int64_t place = shape.transpose_b ? at[1] * shape.k + i : i * shape.n + at[1];
    const double product = static_cast<double>(a[i]) * b[place];
    sum.value += product;
    sum.magnitude += std::abs(product);
  }
  return sum;
}

}  // namespace benanza::verify
