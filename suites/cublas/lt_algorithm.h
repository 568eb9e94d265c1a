#pragma once

#include <cublasLt.h>

#include <cstdint>
#include <optional>
#include <string>

#include "suites/harness/primitive.h"

namespace benanza::cublas {

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

/// Returns "lt.a66.t20.s35.k1.r0.z0.o0.i0.c2": id, tile, stages, split-k, reduction scheme,
/// swizzle, custom option, inner shape, cluster shape. The numbers are the library's.
harness::Algorithm algorithm_name(const LtIdentity& identity);

/// Whether the library's numerical implementation flags claim Tensor Cores; empty if they do not
/// say.
std::optional<bool> claims_tensor_cores(const cublasLtMatmulAlgo_t& algorithm);

}  // namespace benanza::cublas
