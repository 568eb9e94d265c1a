#pragma once

#include <vector>

#include "core/problem/operand.h"

namespace benanza {

/// The products of a mixture of experts: rows that have chosen the same expert are a group, and
/// C_g = A_g op(B_g). A is rows x k, the rows of group 0 first; C is rows x n. B, weights, is
/// groups x k x n, or groups x n x k if transpose_b. Groups with equally many rows that follow each
/// other are a run: `groups` says how many these are, `m` how many rows each of them has, which may
/// be none. Keys: grouped_gemm/g8_m1_n768_k2048_nt, grouped_gemm/g3x5x120_m16x8x0_n768_k2048_nt
struct GroupedGemm {
  /// One number per run each.
  Dims groups;
  Dims m;
  std::int64_t n = 0;
  std::int64_t k = 0;
  bool transpose_b = false;

  bool operator==(const GroupedGemm&) const = default;

  static constexpr bool takes_steps = false;
  static bool owns(std::string_view op) { return op == "grouped_gemm"; }
  std::string_view op() const { return "grouped_gemm"; }
  void map(KeyFields& fields);

  std::int64_t group_count() const;
  std::int64_t rows() const;
  /// One per group.
  std::vector<std::int64_t> rows_of_groups() const;

  std::vector<Operand> inputs() const;
  Dims output() const { return {rows(), n}; }
  /// 2 * rows * n * k.
  double flops() const;
  double product_flops() const { return flops(); }
  /// A, and the weights of groups that have rows.
  std::int64_t bytes_read(std::int64_t element_bytes) const;
  std::int64_t reduction_length() const { return k; }
};

}  // namespace benanza
