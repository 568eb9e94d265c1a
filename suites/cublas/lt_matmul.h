#pragma once

#include <cublasLt.h>

#include <cstdint>
#include <vector>

#include "suites/cublas/mapping.h"
#include "suites/harness/primitive.h"
#include "suites/nvidia/device/handles.h"

namespace benanza::cublas {

/// One product as cuBLASLt's descriptors say it. Needs no GPU.
class LtMatmul {
 public:
  /// Throws Unsupported for what descriptors cannot say: batches without a common step, an int8
  /// bias (the library adds it after scaling), columns of 8-bit floats that do not begin at
  /// multiples of 16 bytes, and activations that lt_epilogue() does not know.
  LtMatmul(const Problem& problem, Precision precision);

  cublasLtMatmulDesc_t operation() const { return operation_.get(); }
  cublasLtMatrixLayout_t first() const { return first_.get(); }
  cublasLtMatrixLayout_t second() const { return second_.get(); }
  /// Of C, the residual, which a beta() of 0 leaves unread; its type differs from D's only where D
  /// has 8-bit floats.
  cublasLtMatrixLayout_t residual() const { return residual_.get(); }
  cublasLtMatrixLayout_t result() const { return result_.get(); }
  /// The C to give where D is at `result` and nothing is added. One address for both means "in
  /// place", which the library refuses (CUBLAS_STATUS_INVALID_VALUE) where their types differ: then
  /// C has none. The same cause and cure, seen on an H100:
  /// https://github.com/pytorch/pytorch/pull/167873
  const void* unread_at(const void* result) const { return in_place_ ? result : nullptr; }
  float alpha() const { return alpha_; }
  /// 1 where there is a residual, else 0.
  float beta() const { return beta_; }
  /// Must be called before the heuristics are asked where there is a bias. Device memory.
  void set_bias(const void* bias);

 private:
  using Layout = nvidia::Handle<cublasLtMatrixLayout_t, &cublasLtMatrixLayoutDestroy>;
  static Layout layout(cudaDataType type, std::int64_t rows, std::int64_t columns, std::int64_t ld,
                       std::int64_t batches, std::int64_t stride);

  nvidia::Handle<cublasLtMatmulDesc_t, &cublasLtMatmulDescDestroy> operation_;
  Layout first_;
  Layout second_;
  Layout residual_;
  Layout result_;
  bool in_place_ = true;
  float alpha_ = 1;
  float beta_ = 0;
};

/// Bias and activation as cuBLASLt's epilogue; the residual is no part of it. Its GELU is the
/// approximation by tanh (so say its users PyTorch and TensorRT-LLM), never the one by erf. Throws
/// Unsupported for an activation that it does not have.
cublasLtEpilogue_t lt_epilogue(const Epilogue& epilogue);

/// One entry of the library's heuristic list.
struct LtChoice {
  cublasLtMatmulAlgo_t algorithm{};
  std::int64_t workspace_bytes = 0;
  harness::Algorithm name;
  /// Position in the list, from 1.
  int rank = 0;
};

/// The first `count` usable entries, each identity once. Partial sums stay in fp32; at fp32,
/// entries that claim Tensor Cores are left out. Throws Unsupported, in the library's words, if
/// none is left.
std::vector<LtChoice> heuristics(cublasLtHandle_t handle, const LtMatmul& matmul,
                                 Precision precision, std::int64_t max_workspace_bytes, int count);

}  // namespace benanza::cublas
