#pragma once

#include <cublasLt.h>

#include <cstdint>

#include "suites/cublas/identity_product.h"
#include "suites/cublas/lt_matmul.h"
#include "suites/nvidia/device/handles.h"

namespace benanza::cublas {

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
