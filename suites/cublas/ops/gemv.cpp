#include <utility>

#include "suites/cublas/cublas_primitive.h"
#include "suites/cublas/mapping.h"
#include "suites/cublas/solvers.h"
#include "suites/cublas/status.h"
#include "suites/cublas/types.h"

namespace benanza::cublas {
namespace {

/// Maps the library's functions to one name: y = op(matrix) * x, matrix of `rows` x `columns`.
template <class T>
struct Function;
template <>
struct Function<float> {
  static constexpr auto call = &cublasSgemvStridedBatched_64;
};
template <>
struct Function<__half> {
  static constexpr auto call = &cublasHSHgemvStridedBatched_64;
};
template <>
struct Function<__nv_bfloat16> {
  static constexpr auto call = &cublasTSTgemvStridedBatched_64;
};

class Gemv : public CublasPrimitive {
 public:
  Gemv(Library& library, const harness::Variant& variant, Product product)
      : CublasPrimitive(library, variant, std::move(product)),
        precision_(variant.precision),
        blas_(blas_gemv(folded(this->product().gemm))) {}

  void run() override {
    switch (precision_) {
      case Precision::fp16:
        return run_as<__half>();
      case Precision::bf16:
        return run_as<__nv_bfloat16>();
      default:
        return run_as<float>();
    }
  }

  std::int64_t workspace_bytes() const override { return library().handle_workspace_bytes(); }

 private:
  template <class T>
  void run_as() {
    const float alpha = product().factor;
    constexpr float beta = 0;
    constexpr std::int64_t dense = 1;
    check(Function<T>::call(
              library().handle(), operation(blas_.transpose), blas_.rows, blas_.columns, &alpha,
              reinterpret_cast<const T*>(factor(blas_.matrix_operand)), blas_.rows,
              blas_.stride_matrix, reinterpret_cast<const T*>(factor(blas_.vector_operand())),
              dense, blas_.stride_vector, &beta, reinterpret_cast<T*>(output()), dense,
              blas_.stride_result, blas_.batches),
          "cublas gemvStridedBatched");
  }

  Precision precision_;
  BlasGemv blas_;
};

std::vector<harness::Algorithm> algorithms(Library&, const Product& product,
                                           const harness::Variant& prototype) {
  if (element_bytes(prototype.precision) == 1)
    throw harness::Unsupported("cuBLAS has no 8-bit gemv");
  if (product.epilogue != Epilogue{}) throw harness::Unsupported("cuBLAS' gemv has no epilogue");
  if (!is_gemv(folded(product.gemm))) {
    throw harness::Unsupported("no operand of this product is a vector");
  }
  return {"gemv"};
}

}  // namespace

/// cublas<t>gemv, if one operand is a vector.
void register_gemv(SolverTable& table) {
  add(table, {.algorithms = algorithms,
              .create =
                  [](Library& library, Product product, const harness::Variant& variant) {
                    return std::make_unique<Gemv>(library, variant, std::move(product));
                  },
              .owns = [](const harness::Algorithm& algorithm) { return algorithm == "gemv"; }});
}

}  // namespace benanza::cublas
