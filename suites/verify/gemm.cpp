#include <cmath>

#include "suites/verify/element_arithmetic.h"
#include "suites/verify/operators.h"

namespace benanza::verify {

Element element(const Gemm& shape, Operands operands, const Dims& at) {
  const Dims batch(at.begin(), at.end() - 2);
  const std::int64_t row = at[at.size() - 2];
  const std::int64_t column = at[at.size() - 1];
  const float* a = operands[0].data() + ravel_broadcast(batch, shape.batch_a) * shape.m * shape.k;
  const float* b = operands[1].data() + ravel_broadcast(batch, shape.batch_b) * shape.k * shape.n;
  Element sum;
  for (std::int64_t i = 0; i < shape.k; ++i) {
    const double product =
        static_cast<double>(a[shape.transpose_a ? i * shape.m + row : row * shape.k + i]) *
        b[shape.transpose_b ? column * shape.k + i : i * shape.n + column];
    sum.value += product;
    sum.magnitude += std::abs(product);
  }
  return sum;
}

}  // namespace benanza::verify
