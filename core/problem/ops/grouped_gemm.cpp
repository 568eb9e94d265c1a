#include "core/problem/ops/grouped_gemm.h"

#include <algorithm>

namespace benanza {

void GroupedGemm::write(KeyWriter& writer) const {
  writer.dims("g", groups).dims("m", m).integer("n", n).integer("k", k);
  writer.word(transpose_b ? "nt" : "nn");
}

GroupedGemm GroupedGemm::read(KeyReader& reader) {
  GroupedGemm shape;
  shape.groups = reader.list("g");
  shape.m = reader.list("m");
  if (shape.m.size() != shape.groups.size()) reader.fail("as many numbers of rows as of groups");
  shape.n = reader.integer("n");
  shape.k = reader.integer("k");
  if (shape.n < 1 || shape.k < 1) reader.fail("positive n and k");
  if (std::ranges::any_of(shape.groups, [](std::int64_t count) { return count < 1; })) {
    reader.fail("positive numbers of groups");
  }
  if (std::ranges::any_of(shape.m, [](std::int64_t rows) { return rows < 0; }) ||
      shape.rows() < 1) {
    reader.fail("a group with rows");
  }
  if (std::ranges::adjacent_find(shape.m) != shape.m.end()) {
    reader.fail("one run of groups that have equally many rows");
  }
  const std::string_view transposes = reader.word();
  if (transposes != "nn" && transposes != "nt") reader.fail("nn or nt");
  shape.transpose_b = transposes == "nt";
  return shape;
}

std::int64_t GroupedGemm::group_count() const {
  std::int64_t count = 0;
  for (const std::int64_t run : groups) count = saturated_sum(count, run);
  return count;
}

std::int64_t GroupedGemm::rows() const {
  std::int64_t count = 0;
  for (std::size_t run = 0; run < groups.size(); ++run) {
    count = saturated_sum(count, saturated_product(groups[run], m[run]));
  }
  return count;
}

std::vector<std::int64_t> GroupedGemm::rows_of_groups() const {
  std::vector<std::int64_t> rows;
  for (std::size_t run = 0; run < groups.size(); ++run) {
    rows.insert(rows.end(), static_cast<std::size_t>(groups[run]), m[run]);
  }
  return rows;
}

std::vector<Operand> GroupedGemm::inputs() const {
  return {{.name = "a", .dims = {rows(), k}},
          {.name = "b",
           .dims = {group_count(), transpose_b ? n : k, transpose_b ? k : n},
           .role = Role::weights}};
}

double GroupedGemm::flops() const {
  return 2.0 * static_cast<double>(rows()) * static_cast<double>(n) * static_cast<double>(k);
}

std::int64_t GroupedGemm::bytes_read(std::int64_t element_bytes) const {
  std::int64_t busy = 0;
  for (std::size_t run = 0; run < groups.size(); ++run) busy += m[run] > 0 ? groups[run] : 0;
  return (rows() * k + busy * n * k) * element_bytes;
}

}  // namespace benanza
