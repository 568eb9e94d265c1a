#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>

#include <cstdint>
#include <memory>
#include <string>

#include "suites/nvidia/run/context.h"
#include "suites/nvidia/device/handles.h"

namespace benanza::cublas {

/// cuBLAS and cuBLASLt, opened on one GPU. Outlives every primitive made with it.
class Library {
 public:
  explicit Library(CudaContext& context);

  CudaContext& cuda() const { return context_; }
  cublasHandle_t handle() const { return handle_.get(); }
  cublasLtHandle_t lt() const { return lt_.get(); }
  /// Scratch memory that every call through handle() may use, in bytes.
  std::int64_t handle_workspace_bytes() const { return workspace_.size_bytes(); }
  /// Largest workspace offered to one call of cuBLASLt, in bytes.
  std::int64_t lt_workspace_bytes() const;
  /// Of the loaded library, "13.1.0".
  std::string version() const;

 private:
  CudaContext& context_;
  DeviceMemory workspace_;
  Handle<cublasHandle_t, &cublasDestroy_v2> handle_;
  Handle<cublasLtHandle_t, &cublasLtDestroy> lt_;
};

/// "13.1.0" for 130100, as cuBLAS counts.
std::string version_text(std::size_t version);

}  // namespace benanza::cublas
