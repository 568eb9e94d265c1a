#include "suites/cublas/lt_batch.h"

#include "suites/cublas/status.h"
#include "suites/cublas/types.h"

namespace benanza::cublas {
namespace {

template <class T>
void set(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute, const T& value) {
  check(cublasLtMatrixLayoutSetAttribute(layout, attribute, &value, sizeof value),
        "cublasLtMatrixLayoutSetAttribute");
}

cublasLtMatrixLayout_t layout(const IdentityBatch& batch, std::int64_t rows, std::int64_t columns,
                              std::int64_t ld) {
  cublasLtMatrixLayout_t created = nullptr;
  check(cublasLtMatrixLayoutCreate(&created, batch.type, static_cast<std::uint64_t>(rows),
                                   static_cast<std::uint64_t>(columns), ld),
        "cublasLtMatrixLayoutCreate");
  set(created, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<std::int32_t>(batch.count));
  set(created, CUBLASLT_MATRIX_LAYOUT_BATCH_MODE,
      static_cast<std::uint32_t>(CUBLASLT_BATCH_MODE_POINTER_ARRAY));
  return created;
}

cublasLtMatrixLayout_t layout(const IdentityBatch& batch, const IdentityFactor& factor,
                              std::int64_t rows, std::int64_t columns) {
  return factor.transposed ? layout(batch, columns, rows, factor.ld)
                           : layout(batch, rows, columns, factor.ld);
}

}  // namespace

LtBatch::LtBatch(const IdentityBatch& batch) : alignment_bytes_(batch.alignment_bytes) {
  cublasLtMatmulDesc_t created = nullptr;
  check(cublasLtMatmulDescCreate(&created, batch.compute, batch.scale), "cublasLtMatmulDescCreate");
  operation_.reset(created);
  const auto turn = [&](cublasLtMatmulDescAttributes_t attribute, bool transposed) {
    const cublasOperation_t value = operation(transposed);
    check(cublasLtMatmulDescSetAttribute(created, attribute, &value, sizeof value),
          "cublasLtMatmulDescSetAttribute");
  };
  turn(CUBLASLT_MATMUL_DESC_TRANSA, batch.first.transposed);
  turn(CUBLASLT_MATMUL_DESC_TRANSB, batch.second.transposed);
  first_.reset(layout(batch, batch.first, batch.m, batch.k));
  second_.reset(layout(batch, batch.second, batch.k, batch.n));
  result_.reset(layout(batch, batch.m, batch.n, batch.ld_result));
}

}  // namespace benanza::cublas
