#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem/precision.h"
#include "suites/nvidia/device/device_memory.h"
#include "suites/nvidia/device/handles.h"
#include "suites/nvidia/run/context.h"
#include "suites/nvidia/run/cuda_backend.h"

namespace benanza::cublas {

/// cuBLAS and cuBLASLt on one GPU, opened on first use. Must outlive every primitive made with it.
/// Functions that open the GPU throw NoGpu if there is none.
class Library {
 public:
  /// `cuda` must outlive the library.
  explicit Library(nvidia::LazyContext& cuda) : cuda_(cuda) {}

  nvidia::CudaContext& cuda() { return cuda_.get(); }
  cublasHandle_t handle();
  cublasLtHandle_t lt();
  /// Workspace that every call through handle() may use, in bytes.
  std::int64_t handle_workspace_bytes() const { return workspace_.size_bytes(); }
  /// The largest workspace offered to a cuBLASLt call, in bytes.
  std::int64_t lt_workspace_bytes();
  /// The version of the loaded library, "13.1.0".
  std::string version();

 private:
  nvidia::LazyContext& cuda_;
  nvidia::DeviceMemory workspace_;
  nvidia::Handle<cublasHandle_t, &cublasDestroy_v2> handle_;
  nvidia::Handle<cublasLtHandle_t, &cublasLtDestroy> lt_;
};

/// Returns on success. Otherwise throws Unsupported, with the library's message, OutOfMemory,
/// DeviceLost if the device is to blame, or else std::runtime_error.
void check(cublasStatus_t status, std::string_view call,
           std::source_location where = std::source_location::current());

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

/// The addresses of batches' matrices as an array in device memory: `base` plus each offset, which
/// is in elements of `size_bytes`.
nvidia::DeviceMemory device_addresses(std::byte* base, const std::vector<std::int64_t>& offsets,
                                      std::int64_t size_bytes, cudaStream_t stream);

/// Matrix products by cuBLAS and cuBLASLt; nothing else, and no choice of layouts.
class CublasBackend final : public nvidia::CudaBackend<Library> {
 public:
  explicit CublasBackend(nvidia::LazyContext& device);

  std::string_view name() const override { return "cublas"; }
  System system() override;
  std::vector<LibraryVersion> libraries() const override;
};

}  // namespace benanza::cublas
