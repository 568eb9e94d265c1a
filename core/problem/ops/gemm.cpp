#include "core/problem/ops/gemm.h"

#include <algorithm>

namespace benanza {

void Gemm::write(KeyWriter& writer) const {
  writer.integer("m", m).integer("n", n).integer("k", k);
  writer.word(transpose_a ? (transpose_b ? "tt" : "tn") : (transpose_b ? "nt" : "nn"));
  if (!batch_a.empty()) writer.dims("a", batch_a).dims("b", batch_b);
  if (constant_b) writer.word("w");
  if (cached_b) writer.word("cache");
  if (unsigned_data) writer.word(is_unsigned_word);
}

Gemm Gemm::read(KeyReader& reader) {
  Gemm shape;
  shape.m = reader.integer("m");
  shape.n = reader.integer("n");
  shape.k = reader.integer("k");
  if (shape.m < 1 || shape.n < 1 || shape.k < 1) reader.fail("positive m, n and k");
  const std::string_view transposes = reader.word();
  if (transposes.size() != 2 || transposes.find_first_not_of("nt") != std::string_view::npos) {
    reader.fail("nn, nt, tn or tt");
  }
  shape.transpose_a = transposes[0] == 't';
  shape.transpose_b = transposes[1] == 't';
  if (reader.next_is_number("a")) {
    shape.batch_a = reader.dims("a");
    shape.batch_b = reader.dims("b");
    if (shape.batch_a.size() != shape.batch_b.size()) reader.fail("batches of equal rank");
    for (std::size_t axis = 0; axis < shape.batch_a.size(); ++axis) {
      const std::int64_t a = shape.batch_a[axis];
      const std::int64_t b = shape.batch_b[axis];
      if (a < 1 || b < 1 || (a != b && a != 1 && b != 1)) reader.fail("batches that broadcast");
    }
  }
  shape.constant_b = reader.accept("w");
  shape.cached_b = !shape.constant_b && reader.accept("cache");
  shape.unsigned_data = reader.accept(is_unsigned_word);
  return shape;
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
