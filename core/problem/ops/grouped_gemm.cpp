#include "core/problem/ops/grouped_gemm.h"

#include <algorithm>

namespace benanza {

void GroupedGemm::map(KeyFields& fields) {
  fields.list("g", groups).list("m", m);
  fields.require(m.size() == groups.size(), "as many numbers of rows as of groups");
  fields.integer("n", n).integer("k", k).require(n >= 1 && k >= 1, "positive n and k");
  fields.require(std::ranges::all_of(groups, [](std::int64_t count) { return count >= 1; }),
                 "positive numbers of groups");
  fields.require(std::ranges::all_of(m, [](std::int64_t rows) { return rows >= 0; }) && rows() >= 1,
                 "a group with rows");
  fields.require(std::ranges::adjacent_find(m) == m.end(),
                 "one run of groups that have equally many rows");
  std::string transposes = transpose_b ? "nt" : "nn";
  fields.word(transposes).require(transposes == "nn" || transposes == "nt", "nn or nt");
  if (fields.reader() != nullptr) transpose_b = transposes == "nt";
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
