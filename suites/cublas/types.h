#pragma once

#include <cublas_v2.h>

#include "core/problem/precision.h"

namespace benanza::cublas {

/// How the library stores and computes a precision.
struct Types {
  cudaDataType operand;
  cublasComputeType_t compute;
  /// The type of alpha and beta if the caller can choose it (cuBLASLt).
  cudaDataType scale;
};

/// fp32 is pedantic: neither TF32 nor Tensor Cores. 16- and 8-bit floats accumulate in fp32; int8
/// accumulates in 32-bit integers and is scaled in fp32 before it is rounded to 8 bits.
inline Types types_of(Precision precision) {
  switch (precision) {
    case Precision::fp32:
      return {CUDA_R_32F, CUBLAS_COMPUTE_32F_PEDANTIC, CUDA_R_32F};
    case Precision::tf32:
      return {CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F};
    case Precision::fp16:
      return {CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F};
    case Precision::bf16:
      return {CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F};
    case Precision::int8:
      return {CUDA_R_8I, CUBLAS_COMPUTE_32I, CUDA_R_32F};
    case Precision::fp8:
      return {CUDA_R_8F_E4M3, CUBLAS_COMPUTE_32F, CUDA_R_32F};
  }
  return {CUDA_R_32F, CUBLAS_COMPUTE_32F_PEDANTIC, CUDA_R_32F};
}

inline cublasOperation_t operation(bool transpose) { return transpose ? CUBLAS_OP_T : CUBLAS_OP_N; }

}  // namespace benanza::cublas
