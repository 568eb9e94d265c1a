#include "suites/cublas/lt_algorithm.h"

#include "suites/cublas/status.h"

namespace benanza::cublas {
namespace {

template <class T>
void read(const cublasLtMatmulAlgo_t& algorithm, cublasLtMatmulAlgoConfigAttributes_t attribute,
          T& value) {
  std::size_t written = 0;
  check(cublasLtMatmulAlgoConfigGetAttribute(&algorithm, attribute, &value, sizeof value, &written),
        "cublasLtMatmulAlgoConfigGetAttribute");
}

}  // namespace

LtIdentity identity(const cublasLtMatmulAlgo_t& algorithm) {
  LtIdentity result;
  read(algorithm, CUBLASLT_ALGO_CONFIG_ID, result.config);
  read(algorithm, CUBLASLT_ALGO_CONFIG_TILE_ID, result.tile);
  read(algorithm, CUBLASLT_ALGO_CONFIG_STAGES_ID, result.stages);
  read(algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, result.split_k);
  read(algorithm, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, result.reduction);
  read(algorithm, CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING, result.swizzle);
  read(algorithm, CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, result.custom);
  read(algorithm, CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID, result.inner);
  read(algorithm, CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, result.cluster);
  return result;
}

harness::Algorithm algorithm_name(const LtIdentity& identity) {
  const auto field = [](const char* prefix, auto value) { return prefix + std::to_string(value); };
  return field("lt.a", identity.config) + field(".t", identity.tile) +
         field(".s", identity.stages) + field(".k", identity.split_k) +
         field(".r", identity.reduction) + field(".z", identity.swizzle) +
         field(".o", identity.custom) + field(".i", identity.inner) + field(".c", identity.cluster);
}

std::optional<bool> claims_tensor_cores(const cublasLtMatmulAlgo_t& algorithm) {
  std::uint64_t flags = 0;
  std::size_t written = 0;
  if (cublasLtMatmulAlgoCapGetAttribute(&algorithm, CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS, &flags,
                                        sizeof flags, &written) != CUBLAS_STATUS_SUCCESS) {
    return std::nullopt;
  }
  if ((flags & CUBLASLT_NUMERICAL_IMPL_FLAGS_OP_TYPE_MASK) == 0) return std::nullopt;
  return (flags & CUBLASLT_NUMERICAL_IMPL_FLAGS_TENSOR_OP_MASK) != 0;
}

}  // namespace benanza::cublas
