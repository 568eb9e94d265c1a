#pragma once

#include "core/problem/operand.h"

namespace benanza {

/// C = op(A) op(B): C is batch x m x n, the reduction has length k. A is stored m x k (k x m if
/// transpose_a), B k x n (n x k if transpose_b). `batch_a` and `batch_b` are empty for plain
/// matrices, otherwise of equal rank and broadcast against each other as in ONNX MatMul.
/// `constant_b`: B is a weight, known when the model is loaded; otherwise both change with every
/// inference. `cached_b`: B is kept from one inference to the next (Role::cache). `unsigned_data`:
/// A is unsigned 8-bit data, B is signed; only at int8. The epilogue's bias, if any, has n values
/// and is added to every row. Keys: gemm/m64_n64_k64_nt_w, gemm/m64_n64_k64_nn; with _a8x12_b8x12
/// when batched, _w when B is a weight, _cache when it is kept, and _u8 when A is unsigned
struct Gemm {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  bool transpose_a = false;
  bool transpose_b = false;
  Dims batch_a;
  Dims batch_b;
  bool constant_b = false;
  bool cached_b = false;
  bool unsigned_data = false;

  bool operator==(const Gemm&) const = default;

  static bool owns(std::string_view op) { return op == "gemm"; }
  std::string_view op() const { return "gemm"; }
  void map(KeyFields& fields);

  std::vector<Operand> inputs() const;
  Dims output() const;
  /// Batch extents of the output: batch_a and batch_b broadcast.
  Dims batch() const;
  /// 2 * batch * m * n * k.
  double flops() const;
  std::int64_t reduction_length() const { return k; }
  std::int64_t bias_length() const { return n; }

 private:
  void map_batches(KeyFields& fields);
};

}  // namespace benanza
