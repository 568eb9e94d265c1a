
#include "suites/cublas/ways.h"

namespace benanza::cublas {
namespace {

/// cublasGemmEx and its batched forms: the library chooses the algorithm.
class GemmEx {
 public:
  GemmEx(const Request& request, const Product& product)
      : library_(request.library),
        factors_(request, product),
        precision_(request.variant.precision),
        types_(types_of(precision_)),
        blas_(blas_gemm(folded(product.gemm))),
        alpha_(product.factor) {}

  void placed(const nvidia::CudaPrimitive& call) {
    if (blas_.strided()) return;
    const std::int64_t size = element_bytes(precision_);
    std::vector<std::int64_t> results;
    for (std::int64_t batch = 0; batch < blas_.batches; ++batch) {
      results.push_back(batch * blas_.stride_result);
    }
    const auto addresses = [&](std::byte* base, const std::vector<std::int64_t>& offsets) {
      return device_addresses(base, offsets, size, call.stream());
    };
    first_ = addresses(factors_.at(call, first_operand), blas_.offsets_first);
    second_ = addresses(factors_.at(call, second_operand), blas_.offsets_second);
    results_ = addresses(call.output(), results);
  }

  void operator()(const nvidia::CudaPrimitive& call) const {
    if (!blas_.strided()) {
      run_scattered();
    } else if (blas_.batches > 1) {
      run_strided(call);
    } else {
      run_single(call);
    }
  }

 private:
  static constexpr float beta = 0;

  void run_single(const nvidia::CudaPrimitive& call) const {
    check(cublasGemmEx_64(library_.handle(), operation(blas_.transpose_first),
                          operation(blas_.transpose_second), blas_.m, blas_.n, blas_.k, &alpha_,
                          factors_.at(call, first_operand), types_.operand, blas_.ld_first,
                          factors_.at(call, second_operand), types_.operand, blas_.ld_second, &beta,
                          call.output(), types_.operand, blas_.ld_result, types_.compute,
                          CUBLAS_GEMM_DEFAULT),
          "cublasGemmEx");
  }

  void run_strided(const nvidia::CudaPrimitive& call) const {
    check(cublasGemmStridedBatchedEx_64(
              library_.handle(), operation(blas_.transpose_first),
              operation(blas_.transpose_second), blas_.m, blas_.n, blas_.k, &alpha_,
              factors_.at(call, first_operand), types_.operand, blas_.ld_first, blas_.stride_first,
              factors_.at(call, second_operand), types_.operand, blas_.ld_second,
              blas_.stride_second, &beta, call.output(), types_.operand, blas_.ld_result,
              blas_.stride_result, blas_.batches, types_.compute, CUBLAS_GEMM_DEFAULT),
          "cublasGemmStridedBatchedEx");
  }

  void run_scattered() const {
    check(
        cublasGemmBatchedEx_64(
            library_.handle(), operation(blas_.transpose_first), operation(blas_.transpose_second),
            blas_.m, blas_.n, blas_.k, &alpha_, reinterpret_cast<const void* const*>(first_.data()),
            types_.operand, blas_.ld_first, reinterpret_cast<const void* const*>(second_.data()),
            types_.operand, blas_.ld_second, &beta, reinterpret_cast<void* const*>(results_.data()),
            types_.operand, blas_.ld_result, blas_.batches, types_.compute, CUBLAS_GEMM_DEFAULT),
        "cublasGemmBatchedEx");
  }

  Library& library_;
  Factors factors_;
  Precision precision_;
  Types types_;
  BlasGemm blas_;
  float alpha_;
  nvidia::DeviceMemory first_;
  nvidia::DeviceMemory second_;
  nvidia::DeviceMemory results_;
};

Ways gemm_ex(Library& library, const Product& product, const harness::Variant& prototype,
             harness::AlgorithmSet) {
  if (prototype.precision == Precision::int8) {
    throw harness::Unsupported("cublasGemmEx has no int8 result, only 32-bit integers");
  }
  if (prototype.precision == Precision::fp8) throw harness::Unsupported("cublasGemmEx has no fp8");
  if (product.epilogue != Epilogue{}) throw harness::Unsupported("cublasGemmEx has no epilogue");
  return {nvidia::way_of(library, prototype, "gemm_ex", [product](const Request& request) {
    return handle_call_of(request, GemmEx(request, product));
  })};
}

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

/// cublas<t>gemv, if one operand is a vector.
class Gemv {
 public:
  Gemv(const Request& request, const Product& product)
      : library_(request.library),
        factors_(request, product),
        precision_(request.variant.precision),
        blas_(blas_gemv(folded(product.gemm))),
        alpha_(product.factor) {}

  void operator()(const nvidia::CudaPrimitive& call) const {
    switch (precision_) {
      case Precision::fp16:
        return run_as<__half>(call);
      case Precision::bf16:
        return run_as<__nv_bfloat16>(call);
      default:
        return run_as<float>(call);
    }
  }

 private:
  template <class T>
  void run_as(const nvidia::CudaPrimitive& call) const {
    constexpr float beta = 0;
    constexpr std::int64_t dense = 1;
    check(Function<T>::call(library_.handle(), operation(blas_.transpose), blas_.rows,
                            blas_.columns, &alpha_,
                            reinterpret_cast<const T*>(factors_.at(call, blas_.matrix_operand)),
                            blas_.rows, blas_.stride_matrix,
                            reinterpret_cast<const T*>(factors_.at(call, blas_.vector_operand())),
                            dense, blas_.stride_vector, &beta, reinterpret_cast<T*>(call.output()),
                            dense, blas_.stride_result, blas_.batches),
          "cublas gemvStridedBatched");
  }

  Library& library_;
  Factors factors_;
  Precision precision_;
  BlasGemv blas_;
  float alpha_;
};

Ways gemv(Library& library, const Product& product, const harness::Variant& prototype,
          harness::AlgorithmSet) {
  if (element_bytes(prototype.precision) == 1)
    throw harness::Unsupported("cuBLAS has no 8-bit gemv");
  if (product.epilogue != Epilogue{}) throw harness::Unsupported("cuBLAS' gemv has no epilogue");
  if (!is_gemv(folded(product.gemm))) {
    throw harness::Unsupported("no operand of this product is a vector");
  }
  return {nvidia::way_of(library, prototype, "gemv", [product](const Request& request) {
    return handle_call_of(request, Gemv(request, product));
  })};
}

}  // namespace

void register_gemm(WayTable& table) {
  add(table, {.ways = gemm_ex});
  add(table, {.ways = gemv});
}

}  // namespace benanza::cublas
