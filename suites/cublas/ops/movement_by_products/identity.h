#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/problem/ops/copy.h"
#include "core/problem/precision.h"
#include "suites/cublas/ops/movement_by_products/blocks.h"
#include "suites/cublas/products/lt_matmul.h"
#include "suites/nvidia/device/handles.h"

namespace benanza::cublas {

/// What a product multiplies: the elements, 8-bit ones as integers whatever they mean; or pairs of
/// 32-bit elements as one of 64 bits, which is NaN or infinite only if the data are.
enum class Unit { element, word };

/// How a copy is divided into products with an identity matrix.
struct IdentityWay {
  Side side = Side::source;
  /// The side of the identity matrix, in elements of the copy.
  std::int64_t length = 0;
  Unit unit = Unit::element;

  /// "64", "64.words", "64.result".
  std::string text() const;
};

/// The ways of a copy, in the order of their likely speed. Throws Unsupported if there is none.
std::vector<IdentityWay> identity_ways(const Copy& shape, Precision precision);

/// A factor in BLAS terms; `addresses` are in device memory.
struct IdentityFactor {
  bool transposed = false;
  std::int64_t ld = 0;
  const void* const* addresses = nullptr;
};
/// The products: m x n = (m x k) x (k x n), of `count` matrices.
struct IdentityBatch {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t count = 0;
  IdentityFactor first{};
  IdentityFactor second{};
  std::int64_t ld_result = 0;
  void* const* results = nullptr;
  /// Every address is a multiple of this, at most 16.
  std::uint32_t alignment_bytes = 16;
  /// The first factors are the source's matrices, the second ones the identity matrix.
  bool source_first = false;
  cudaDataType type = CUDA_R_16F;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  /// The type of 1 and 0.
  cudaDataType scale = CUDA_R_32F;
  const void* one = nullptr;
  const void* zero = nullptr;
};

/// The products that `way` makes of a copy; the addresses are null. Throws Unsupported as
/// block_move() does.
IdentityBatch identity_batch(const Copy& shape, Precision precision, const IdentityWay& way);

/// Whether every address is as aligned as its matrix's leading dimension, which is all that calls
/// with lists of addresses in device memory can see: cublasGemmBatchedEx() otherwise runs kernels
/// that end with cudaErrorMisalignedAddress (13.1, H100).
bool is_as_aligned_as_it_looks(const IdentityBatch& batch);

/// The matrix of ones as it is stored: `side` elements of what `unit` moves.
std::vector<std::byte> identity_matrix(Precision precision, Unit unit, std::int64_t side);
/// Of what `unit` moves.
std::int64_t unit_bytes(Precision precision, Unit unit);
/// The copy in units of what the products move.
BlockMove moved(const Copy& shape, Precision precision, const IdentityWay& way);

/// The cuBLASLt descriptors of products of matrices at listed addresses
/// (CUBLASLT_BATCH_MODE_POINTER_ARRAY). Needs no GPU.
class LtBatch {
 public:
  explicit LtBatch(const IdentityBatch& batch);

  LtDescriptors descriptors() const {
    return {operation_.get(), first_.get(),  second_.get(),
            result_.get(),    result_.get(), alignment_bytes_};
  }

 private:
  using Layout = nvidia::Handle<cublasLtMatrixLayout_t, &cublasLtMatrixLayoutDestroy>;

  nvidia::Handle<cublasLtMatmulDesc_t, &cublasLtMatmulDescDestroy> operation_;
  Layout first_;
  Layout second_;
  Layout result_;
  std::uint32_t alignment_bytes_;
};

}  // namespace benanza::cublas
