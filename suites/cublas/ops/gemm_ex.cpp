#include <utility>

#include "suites/cublas/cublas_primitive.h"
#include "suites/cublas/device_addresses.h"
#include "suites/cublas/mapping.h"
#include "suites/cublas/solvers.h"
#include "suites/cublas/status.h"
#include "suites/cublas/types.h"

namespace benanza::cublas {
namespace {

class GemmEx : public CublasPrimitive {
 public:
  GemmEx(Library& library, const harness::Variant& variant, Product product)
      : CublasPrimitive(library, variant, std::move(product)),
        types_(types_of(variant.precision)),
        blas_(blas_gemm(folded(this->product().gemm))),
        alpha_(this->product().factor) {
    if (blas_.strided()) return;
    const std::int64_t size = element_bytes(variant.precision);
    std::vector<std::int64_t> results;
    for (std::int64_t batch = 0; batch < blas_.batches; ++batch) {
      results.push_back(batch * blas_.stride_result);
    }
    first_ = device_addresses(factor(first_operand), blas_.offsets_first, size, stream());
    second_ = device_addresses(factor(second_operand), blas_.offsets_second, size, stream());
    results_ = device_addresses(output(), results, size, stream());
  }

  void run() override {
    if (!blas_.strided()) {
      run_scattered();
    } else if (blas_.batches > 1) {
      run_strided();
    } else {
      run_single();
    }
  }

  std::int64_t workspace_bytes() const override { return library().handle_workspace_bytes(); }

 private:
  static constexpr float beta = 0;

  void run_single() {
    check(cublasGemmEx_64(library().handle(), operation(blas_.transpose_first),
                          operation(blas_.transpose_second), blas_.m, blas_.n, blas_.k, &alpha_,
                          factor(first_operand), types_.operand, blas_.ld_first,
                          factor(second_operand), types_.operand, blas_.ld_second, &beta, output(),
                          types_.operand, blas_.ld_result, types_.compute, CUBLAS_GEMM_DEFAULT),
          "cublasGemmEx");
  }

  void run_strided() {
    check(
        cublasGemmStridedBatchedEx_64(
            library().handle(), operation(blas_.transpose_first), operation(blas_.transpose_second),
            blas_.m, blas_.n, blas_.k, &alpha_, factor(first_operand), types_.operand,
            blas_.ld_first, blas_.stride_first, factor(second_operand), types_.operand,
            blas_.ld_second, blas_.stride_second, &beta, output(), types_.operand, blas_.ld_result,
            blas_.stride_result, blas_.batches, types_.compute, CUBLAS_GEMM_DEFAULT),
        "cublasGemmStridedBatchedEx");
  }

  void run_scattered() {
    check(
        cublasGemmBatchedEx_64(
            library().handle(), operation(blas_.transpose_first), operation(blas_.transpose_second),
            blas_.m, blas_.n, blas_.k, &alpha_, reinterpret_cast<const void* const*>(first_.data()),
            types_.operand, blas_.ld_first, reinterpret_cast<const void* const*>(second_.data()),
            types_.operand, blas_.ld_second, &beta, reinterpret_cast<void* const*>(results_.data()),
            types_.operand, blas_.ld_result, blas_.batches, types_.compute, CUBLAS_GEMM_DEFAULT),
        "cublasGemmBatchedEx");
  }

  Types types_;
  BlasGemm blas_;
  float alpha_;
  nvidia::DeviceMemory first_;
  nvidia::DeviceMemory second_;
  nvidia::DeviceMemory results_;
};

std::vector<harness::Algorithm> algorithms(Library&, const Product& product,
                                           const harness::Variant& prototype) {
  if (prototype.precision == Precision::int8) {
    throw harness::Unsupported("cublasGemmEx has no int8 result, only 32-bit integers");
  }
  if (prototype.precision == Precision::fp8) throw harness::Unsupported("cublasGemmEx has no fp8");
  if (product.epilogue != Epilogue{}) throw harness::Unsupported("cublasGemmEx has no epilogue");
  return {"gemm_ex"};
}

}  // namespace

/// cublasGemmEx and its batched forms: the library chooses the algorithm.
void register_gemm_ex(SolverTable& table) {
  add(table, {.algorithms = algorithms,
              .create =
                  [](Library& library, Product product, const harness::Variant& variant) {
                    return std::make_unique<GemmEx>(library, variant, std::move(product));
                  },
              .owns = [](const harness::Algorithm& algorithm) { return algorithm == "gemm_ex"; }});
}

}  // namespace benanza::cublas
