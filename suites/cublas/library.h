#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>

#include <cstdint>
#include <string>

#include "suites/nvidia/device/handles.h"
#include "suites/nvidia/run/lazy_context.h"

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

}  // namespace benanza::cublas
