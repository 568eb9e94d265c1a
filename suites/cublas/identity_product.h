#pragma once

#include <cublas_v2.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem/ops/copy.h"
#include "suites/cublas/block_move.h"
#include "suites/cublas/library.h"
#include "suites/harness/backend.h"
#include "suites/nvidia/run/primitive.h"

namespace benanza::cublas {

/// How a copy is divided into products with an identity matrix.
struct IdentityWay {
  Side side = Side::source;
  /// The side of the identity matrix, in elements.
  std::int64_t length = 0;
  /// Pairs of 32-bit elements count as one of 64 bits, which is NaN or infinite only if the data
  /// are.
  bool words = false;

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
  cudaDataType type = CUDA_R_16F;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  /// 1 and 0 in the type that the call expects.
  const void* one = nullptr;
  const void* zero = nullptr;
};

/// The products that `way` makes of a copy; the addresses are null. Throws Unsupported as
/// block_move() does.
IdentityBatch identity_batch(const Copy& shape, Precision precision, const IdentityWay& way);

/// A transposition of 16-bit elements, or a copy of rows (the transpositions around attention), as
/// products of many small matrices with an identity matrix, in calls that take an address for every
/// matrix. The result is exact, as every sum has one term that is not 0, unless the data contain
/// infinities or NaNs: 0 times those is not 0.
class IdentityProduct : public nvidia::CudaPrimitive {
 public:
  IdentityProduct(Library& library, const Copy& shape, const harness::Variant& variant,
                  const IdentityWay& way);

 protected:
  Library& library() { return library_; }
  /// Valid as long as this object.
  const IdentityBatch& batch() const { return batch_; }

 private:
  Library& library_;
  IdentityBatch batch_;
  nvidia::DeviceMemory identity_;
  nvidia::DeviceMemory identities_;
  nvidia::DeviceMemory sources_;
  nvidia::DeviceMemory results_;
};

}  // namespace benanza::cublas
