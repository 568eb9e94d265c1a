#include "core/problem/ops/sparse_product.h"

namespace benanza {

void SparseProduct::map(KeyFields& fields) {
  fields.integer("m", m).integer("n", n).integer("k", k).integer("z", nonzeros);
  fields.require(m >= 1 && n >= 1 && k >= 1, "positive m, n and k");
  fields.require(nonzeros >= 1 && nonzeros <= saturated_product(m, k),
                 "1 to m * k elements that are not 0");
}

std::vector<Operand> SparseProduct::inputs() const {
  return {{.name = "input", .dims = {n, k}},
          {.name = "weights", .dims = {m, k}, .role = Role::weights}};
}

double SparseProduct::flops() const {
  return 2.0 * static_cast<double>(nonzeros) * static_cast<double>(n);
}

std::int64_t SparseProduct::bytes_read(std::int64_t element_bytes) const {
  constexpr std::int64_t index_bytes = 4;
  return n * k * element_bytes + nonzeros * (element_bytes + index_bytes) + (m + 1) * index_bytes;
}

}  // namespace benanza
