#include "core/problem/ops/gemm.h"

#include <algorithm>

namespace benanza {

void Gemm::map(KeyFields& fields) {
  fields.integer("m", m).integer("n", n).integer("k", k);
  fields.require(m >= 1 && n >= 1 && k >= 1, "positive m, n and k");
  std::string transposes{transpose_a ? 't' : 'n', transpose_b ? 't' : 'n'};
  fields.word(transposes);
  if (fields.reader() != nullptr) {
    fields.require(
        transposes.size() == 2 && transposes.find_first_not_of("nt") == std::string::npos,
        "nn, nt, tn or tt");
    transpose_a = transposes[0] == 't';
    transpose_b = transposes[1] == 't';
  }
  if (fields.has("a", !batch_a.empty())) map_batches(fields);
  fields.flag("w", constant_b);
  if (!constant_b || cached_b) fields.flag("cache", cached_b);
  fields.flag(is_unsigned_word, unsigned_data);
}

void Gemm::map_batches(KeyFields& fields) {
  fields.dims("a", batch_a).dims("b", batch_b);
  if (fields.reader() == nullptr) return;
  fields.require(batch_a.size() == batch_b.size(), "batches of equal rank");
  for (std::size_t axis = 0; axis < batch_a.size(); ++axis) {
    const std::int64_t a = batch_a[axis];
    const std::int64_t b = batch_b[axis];
    fields.require(a >= 1 && b >= 1 && (a == b || a == 1 || b == 1), "batches that broadcast");
  }
}

Dims Gemm::batch() const {
  Dims extents(batch_a.size());
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    extents[axis] = std::max(batch_a[axis], batch_b[axis]);
  }
  return extents;
}

std::vector<Operand> Gemm::inputs() const {
  Dims a = batch_a;
  a.insert(a.end(), {transpose_a ? k : m, transpose_a ? m : k});
  Dims b = batch_b;
  b.insert(b.end(), {transpose_b ? n : k, transpose_b ? k : n});
  const Role kept = cached_b ? Role::cache : Role::data;
  return {{.name = "a", .dims = a, .domain = data_domain(unsigned_data)},
          {.name = "b", .dims = b, .role = constant_b ? Role::weights : kept}};
}

Dims Gemm::output() const {
  Dims dims = batch();
  dims.insert(dims.end(), {m, n});
  return dims;
}

double Gemm::flops() const {
  return 2.0 * static_cast<double>(element_count(output())) * static_cast<double>(k);
}

}  // namespace benanza
