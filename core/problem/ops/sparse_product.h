#pragma once

#include "core/problem/operand.h"

namespace benanza {

/// Y = X W', a layer with pruned weights: X is n x k; W is m x k with `nonzeros` non-zero elements,
/// which a library stores in compressed rows (CSR) when the model is loaded; Y is n x m. In
/// column-major terms, C (m x n) = A (m x k, sparse) B (k x n). The positions of the non-zero
/// elements are drawn uniformly with the inputs.
/// Key: spmm/m7680_n1_k2560_z983040
struct SparseProduct {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t nonzeros = 0;

  bool operator==(const SparseProduct&) const = default;

  static constexpr bool takes_steps = false;
  static bool owns(std::string_view op) { return op == "spmm"; }
  std::string_view op() const { return "spmm"; }
  void map(KeyFields& fields);

  /// X and W; W includes its zeros.
  std::vector<Operand> inputs() const;
  Dims output() const { return {n, m}; }
  /// Two per non-zero element and row of X.
  double flops() const;
  double product_flops() const { return flops(); }
  /// X, and W in compressed rows with four-byte indices.
  std::int64_t bytes_read(std::int64_t element_bytes) const;
  /// Average number of products summed into one element, rounded up.
  std::int64_t reduction_length() const { return (nonzeros + m - 1) / m; }
};

}  // namespace benanza
