#pragma once

#include <cublasLt.h>

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
    // Blocks of 8 elements of 16 bits and more.
    constexpr std::uint32_t alignment_bytes = 16;
    return {operation_.get(), first_.get(),  second_.get(),
            result_.get(),    result_.get(), alignment_bytes};
  }

 private:
  using Layout = nvidia::Handle<cublasLtMatrixLayout_t, &cublasLtMatrixLayoutDestroy>;

  nvidia::Handle<cublasLtMatmulDesc_t, &cublasLtMatmulDescDestroy> operation_;
  Layout first_;
  Layout second_;
  Layout result_;
};

}  // namespace benanza::cublas
