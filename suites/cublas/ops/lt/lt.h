#pragma once

#include <cublasLt.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "suites/cublas/backend.h"
#include "suites/cublas/ways.h"
#include "suites/harness/primitive.h"
#include "suites/nvidia/device/device_memory.h"
#include "suites/nvidia/device/handles.h"

namespace benanza::cublas {

/// What cuBLASLt is told of a product. Owned by others.
struct LtDescriptors {
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t first = nullptr;
  cublasLtMatrixLayout_t second = nullptr;
  cublasLtMatrixLayout_t residual = nullptr;
  cublasLtMatrixLayout_t result = nullptr;
  /// Of every matrix; the library's own default.
  std::uint32_t alignment_bytes = 256;
};

using LtLayout = nvidia::Handle<cublasLtMatrixLayout_t, &cublasLtMatrixLayoutDestroy>;

/// Matrices of `batches`. Needs no GPU.
LtLayout lt_layout(cudaDataType type, std::int64_t rows, std::int64_t columns, std::int64_t ld,
                   std::int64_t batches);
/// The same at a stride from one another.
LtLayout lt_layout(cudaDataType type, std::int64_t rows, std::int64_t columns, std::int64_t ld,
                   std::int64_t batches, std::int64_t stride);

/// The cuBLASLt descriptors of one product. Needs no GPU.
class LtMatmul {
 public:
  /// Throws Unsupported for what descriptors cannot express: batches without a common stride, an
  /// int8 bias (the library adds it after scaling), columns of 8-bit floats that do not start at
  /// multiples of 16 bytes, and activations that lt_epilogue() does not support.
  LtMatmul(const Problem& problem, Precision precision, Weights weights = Weights::as_given);

  cublasLtMatmulDesc_t operation() const { return operation_.get(); }
  cublasLtMatrixLayout_t first() const { return first_.get(); }
  cublasLtMatrixLayout_t second() const { return second_.get(); }
  /// The layout of C, the residual, which is not read if beta() is 0. Its type differs from D's
  /// only if D has 8-bit floats.
  cublasLtMatrixLayout_t residual() const { return residual_.get(); }
  cublasLtMatrixLayout_t result() const { return result_.get(); }
  LtDescriptors descriptors() const {
    return {operation(), first(), second(), residual(), result()};
  }
  /// The C to pass if D is at `result` and nothing is added. The same address for both means "in
  /// place", which the library refuses (CUBLAS_STATUS_INVALID_VALUE) if their types differ; then C
  /// is null. The same error and fix, seen on an H100:
  /// https://github.com/pytorch/pytorch/pull/167873
  const void* unread_at(const void* result) const { return in_place_ ? result : nullptr; }
  float alpha() const { return alpha_; }
  /// 1 if there is a residual, otherwise 0.
  float beta() const { return beta_; }
  /// Must be called before heuristics() if there is a bias. `bias` is device memory.
  void set_bias(const void* bias);
  /// Of Weights::in_blocks, before heuristics(). `scales` is device memory, for both factors.
  void set_scales(const void* scales);

 private:
  nvidia::Handle<cublasLtMatmulDesc_t, &cublasLtMatmulDescDestroy> operation_;
  LtLayout first_;
  LtLayout second_;
  LtLayout residual_;
  LtLayout result_;
  bool in_place_ = true;
  float alpha_ = 1;
  float beta_ = 0;
};

/// The library multiplies by Weights::in_blocks only rows that are a multiple of 4 (13.1): so many,
/// for that many.
constexpr std::int64_t rows_in_fours(std::int64_t rows) { return (rows + 3) / 4 * 4; }
/// What the rows that are added to a product with Weights::in_blocks take behind its first operand,
/// or behind its result.
std::int64_t spare_bytes_of(const Gemm& shape);
/// Device memory with the scales of Weights::in_blocks, for either factor of `shape`: all 1, so
/// that their order does not matter.
nvidia::DeviceMemory block_scales(Library& library, const Gemm& shape);

/// A factor in BLAS terms; `addresses` are in device memory.
struct ListedFactor {
  bool transposed = false;
  std::int64_t ld = 0;
  const void* const* addresses = nullptr;
};
/// Products of matrices at listed addresses: m x n = (m x k) x (k x n), of `count` matrices.
struct ListedBatch {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t count = 0;
  ListedFactor first{};
  ListedFactor second{};
  std::int64_t ld_result = 0;
  void* const* results = nullptr;
  /// Every address is a multiple of this, at most 16.
  std::uint32_t alignment_bytes = 16;
  cudaDataType type = CUDA_R_16F;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  /// The type of 1 and 0.
  cudaDataType scale = CUDA_R_32F;
  const void* one = nullptr;
  const void* zero = nullptr;
};

/// The cuBLASLt descriptors of products of matrices at listed addresses
/// (CUBLASLT_BATCH_MODE_POINTER_ARRAY). Needs no GPU.
class LtBatch {
 public:
  explicit LtBatch(const ListedBatch& batch);

  LtDescriptors descriptors() const {
    return {operation_.get(), first_.get(),  second_.get(),
            result_.get(),    result_.get(), alignment_bytes_};
  }

 private:
  nvidia::Handle<cublasLtMatmulDesc_t, &cublasLtMatmulDescDestroy> operation_;
  LtLayout first_;
  LtLayout second_;
  LtLayout result_;
  std::uint32_t alignment_bytes_;
};

/// The type of C, which differs from the operands' and the result's for 8-bit floats.
cudaDataType added_type(Precision precision);

/// Returns the cuBLASLt epilogue for bias and activation, ignoring the residual. cuBLASLt's GELU is
/// the tanh approximation (according to its users PyTorch and TensorRT-LLM), never the erf form.
/// Throws Unsupported for activations that it lacks.
cublasLtEpilogue_t lt_epilogue(const Epilogue& epilogue);

/// The attributes that identify a cublasLtMatmulAlgo_t.
struct LtIdentity {
  std::int32_t config = 0;
  std::uint32_t tile = 0;
  std::uint32_t stages = 0;
  std::int32_t split_k = 1;
  std::uint32_t reduction = 0;
  std::uint32_t swizzle = 0;
  std::uint32_t custom = 0;
  std::uint16_t inner = 0;
  std::uint16_t cluster = 0;
  bool operator==(const LtIdentity&) const = default;
};

/// Reads the attributes. Throws what check() throws.
LtIdentity identity(const cublasLtMatmulAlgo_t& algorithm);
/// Sets all but `config`. Returns false if the algorithm does not take one.
bool set_identity(cublasLtMatmulAlgo_t& algorithm, const LtIdentity& identity);

/// Returns "a66.t20.s35.k1.r0.z0.o0.i0.c2": id, tile, stages, split-k, reduction scheme,
/// swizzle, custom option, inner shape, cluster shape. The numbers are the library's.
harness::Algorithm algorithm_name(const LtIdentity& identity);

/// Whether the library's numerical implementation flags claim Tensor Cores; empty if they do not
/// say.
std::optional<bool> claims_tensor_cores(const cublasLtMatmulAlgo_t& algorithm);

/// One entry of the library's heuristic list.
struct LtChoice {
  cublasLtMatmulAlgo_t algorithm{};
  std::int64_t workspace_bytes = 0;
  /// algorithm_name(); a way's begins with what it multiplies.
  harness::Algorithm name;
  /// Position in the list, from 1; 0 if it is not from the list.
  int rank = 0;
};

/// Returns the usable entries among the first `count`, without duplicates. Partial sums stay in
/// fp32; at fp32, entries that claim Tensor Cores are left out. Throws Unsupported if none is left.
std::vector<LtChoice> heuristics(cublasLtHandle_t handle, const LtDescriptors& product,
                                 Precision precision, std::int64_t max_workspace_bytes, int count);

/// Returns nullopt for what is no algorithm_name().
std::optional<LtIdentity> parse_algorithm_name(std::string_view text);

/// The settings that an algorithm (LtIdentity::config) admits; not every combination is possible.
struct LtRanges {
  std::vector<std::uint32_t> tiles{};
  std::vector<std::uint32_t> stages{};
  std::uint32_t most_custom = 0;
  bool swizzles = false;
  /// How partial sums may be added; empty if sums are not split.
  std::vector<std::uint32_t> reductions{};
  /// Of cublasLtClusterShape_t.
  std::uint16_t clusters = 1;
};

/// Those that differ in one setting.
std::vector<LtIdentity> near(const LtIdentity& identity, const LtRanges& ranges);

}  // namespace benanza::cublas
