#include "core/problem/ops/sparse_product.h"

namespace benanza {

void SparseProduct::write(KeyWriter& writer) const {
  writer.integer("m", m).integer("n", n).integer("k", k).integer("z", nonzeros);
}

SparseProduct SparseProduct::read(KeyReader& reader) {
  SparseProduct shape;
  shape.m = reader.integer("m");
  shape.n = reader.integer("n");
  shape.k = reader.integer("k");
  shape.nonzeros = reader.integer("z");
  if (shape.m < 1 || shape.n < 1 || shape.k < 1) reader.fail("positive m, n and k");
  if (shape.nonzeros < 1 || shape.nonzeros > saturated_product(shape.m, shape.k)) {
    reader.fail("1 to m * k elements that are not 0");
  }
  return shape;
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
