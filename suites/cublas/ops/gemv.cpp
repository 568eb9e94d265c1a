#include "suites/cublas/mapping.h"
#include "suites/cublas/solvers.h"
#include "suites/cublas/status.h"
#include "suites/cublas/types.h"

namespace benanza::cublas {
namespace {

/// One name for the library's functions: y = op(matrix) * x, matrix of `rows` x `columns`.
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

class Gemv : public CudaPrimitive {
 public:
  Gemv(Library& library, const Variant& variant)
      : CudaPrimitive(library.cuda(), input_formats(variant.problem, variant.precision),
                      output_format(variant.problem, variant.precision), 0),
        library_(library),
        precision_(variant.precision),
        blas_(blas_gemv(folded(std::get<Gemm>(variant.problem.shape)))) {}

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

  std::int64_t workspace_bytes() const override { return library_.handle_workspace_bytes(); }

 private:
  template <class T>
  void run_as() {
    constexpr float alpha = 1;
    constexpr float beta = 0;
    constexpr std::int64_t dense = 1;
    check(Function<T>::call(
              library_.handle(), operation(blas_.transpose), blas_.rows, blas_.columns, &alpha,
              reinterpret_cast<const T*>(input(blas_.matrix_operand)), blas_.rows,
              blas_.stride_matrix, reinterpret_cast<const T*>(input(blas_.vector_operand())), dense,
              blas_.stride_vector, &beta, reinterpret_cast<T*>(output()), dense,
              blas_.stride_result, blas_.batches),
          "cublas gemvStridedBatched");
  }

  Library& library_;
  Precision precision_;
  BlasGemv blas_;
};

std::vector<Algorithm> algorithms(Library&, const Problem& problem, Precision precision) {
  if (element_bytes(precision) == 1) throw Unsupported("cuBLAS has no 8-bit gemv");
  if (problem.epilogue != Epilogue{}) throw Unsupported("cuBLAS' gemv has no epilogue");
  if (!is_gemv(folded(std::get<Gemm>(problem.shape)))) {
    throw Unsupported("no operand of this product is a vector");
  }
  return {"gemv"};
}

std::unique_ptr<CudaPrimitive> create(Library& library, const Variant& variant) {
  return std::make_unique<Gemv>(library, variant);
}

}  // namespace

const Solver gemv{"gemv", algorithms, create};

}  // namespace benanza::cublas
