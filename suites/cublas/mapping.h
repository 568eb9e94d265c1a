#pragma once

#include <cstdint>
#include <vector>

#include "core/problem/ops/gemm.h"
#include "core/problem/problem.h"
#include "suites/nvidia/device/tensor_format.h"

namespace benanza::cublas {

/// BLAS is column-major: a row-major matrix is its transpose there. C = op(A) op(B) becomes
/// C^T = op(B)^T op(A)^T, so BLAS' first matrix is our B (operand 1), its second our A (operand 0).
constexpr std::size_t first_operand = 1;
constexpr std::size_t second_operand = 0;

/// One batched matrix product in BLAS' words. Steps and offsets in elements.
struct BlasGemm {
  bool transpose_first = false;
  bool transpose_second = false;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t ld_first = 0;
  std::int64_t ld_second = 0;
  std::int64_t ld_result = 0;
  std::int64_t batches = 1;
  /// From one batch to the next; 0 repeats the matrix. Meaningless where `offsets` are given.
  std::int64_t stride_first = 0;
  std::int64_t stride_second = 0;
  std::int64_t stride_result = 0;
  /// Where no single step fits the broadcast: the begin of each batch's matrix. Else empty.
  std::vector<std::int64_t> offsets_first;
  std::vector<std::int64_t> offsets_second;

  bool strided() const { return offsets_first.empty(); }
  bool operator==(const BlasGemm&) const = default;
};

/// Batches that share one B are one taller product, where A's rows lie one after the other. The
/// bits of operands and result are the same.
Gemm folded(const Gemm& gemm);

/// `gemm` with B stored transposed, where it may be and the library wants it: B is a weight, and
/// only "A transposed, B not" in BLAS' words exists for 8-bit types.
Gemm packed(const Gemm& gemm, Precision precision);

BlasGemm blas_gemm(const Gemm& gemm);

/// Product of a matrix and a vector: y = op(matrix) * vector, `rows` x `columns` before op.
struct BlasGemv {
  /// Which of our operands is the matrix; the other is the vector.
  std::size_t matrix_operand = 0;
  bool transpose = false;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t batches = 1;
  std::int64_t stride_matrix = 0;
  std::int64_t stride_vector = 0;
  std::int64_t stride_result = 0;

  std::size_t vector_operand() const { return 1 - matrix_operand; }
  bool operator==(const BlasGemv&) const = default;
};

/// True if one operand is a vector and one step fits each operand's batches.
bool is_gemv(const Gemm& gemm);
/// Of a gemm for which is_gemv().
BlasGemv blas_gemv(const Gemm& gemm);

/// How operands and result of a gemm problem lie in memory: row-major, but for packed weights. Bias
/// and residual have their own type where the library has none of 8 bits.
std::vector<nvidia::TensorFormat> input_formats(const Problem& problem, Precision precision);
nvidia::TensorFormat output_format(const Problem& problem, Precision precision);

}  // namespace benanza::cublas
