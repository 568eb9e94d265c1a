#include <array>
#include <string_view>

#include "suites/cusparse/backend.h"
#include "suites/harness/keep/compressed_rows.h"
#include "suites/nvidia/device/tensor_format.h"
#include "suites/nvidia/run/primitive.h"

namespace benanza::cusparse {
namespace {

using Request = nvidia::Request<Library>;
using SparseMatrix = nvidia::Handle<cusparseSpMatDescr_t, &cusparseDestroySpMat>;
using DenseMatrix = nvidia::Handle<cusparseDnMatDescr_t, &cusparseDestroyDnMat>;
using DenseVector = nvidia::Handle<cusparseDnVecDescr_t, &cusparseDestroyDnVec>;

struct NamedMatrixProduct {
  std::string_view name;
  cusparseSpMMAlg_t algorithm;
};
constexpr std::array<NamedMatrixProduct, 3> matrix_products{
    {{"spmm_csr_alg1", CUSPARSE_SPMM_CSR_ALG1},
     {"spmm_csr_alg2", CUSPARSE_SPMM_CSR_ALG2},
     {"spmm_csr_alg3", CUSPARSE_SPMM_CSR_ALG3}}};

struct NamedVectorProduct {
  std::string_view name;
  cusparseSpMVAlg_t algorithm;
};
constexpr std::array<NamedVectorProduct, 2> vector_products{
    {{"spmv_csr_alg1", CUSPARSE_SPMV_CSR_ALG1}, {"spmv_csr_alg2", CUSPARSE_SPMV_CSR_ALG2}}};

cudaDataType type_of(Precision precision) {
  switch (precision) {
    case Precision::fp32:
      return CUDA_R_32F;
    case Precision::fp16:
      return CUDA_R_16F;
    case Precision::bf16:
      return CUDA_R_16BF;
    default:
      throw harness::Unsupported("cuSPARSE is asked for products at fp32, fp16 and bf16");
  }
}

/// The weights in compressed rows, and what all calls have in common. To the library the dense
/// matrices are column-major: the rows of X and of the result are its columns, and nothing is
/// moved.
class SparseProductPrimitive : public nvidia::CudaPrimitive {
 public:
  SparseProductPrimitive(const Request& request, const SparseProduct& shape)
      : CudaPrimitive(request.library.cuda(), request.operands,
                      {.inputs = {format(request, {shape.n, shape.k})},
                       .results = {format(request, shape.output())}}),
        library_(request.library),
        shape_(shape),
        precision_(request.variant.precision) {
    guard(work(request.variant.problem, precision_), precision_);
  }

  /// The weights must come last: the library then analyses them, outside the measured time.
  void upload(std::size_t index, std::span<const float> values) override {
    if (index == 0) {
      CudaPrimitive::upload(0, values);
      return;
    }
    const harness::CompressedRows rows = harness::compressed_rows(values, shape_.m, shape_.k);
    const auto count = static_cast<std::int64_t>(rows.values.size());
    begins_ = stored(std::as_bytes(std::span(rows.begins)));
    columns_ = stored(std::as_bytes(std::span(rows.columns)));
    values_ = stored(
        nvidia::to_storage(rows.values, nvidia::tensor_format(precision_, {count}, Layout::plain)));
    cusparseSpMatDescr_t matrix = nullptr;
    check(cusparseCreateCsr(&matrix, shape_.m, shape_.k, count, begins_.data(), columns_.data(),
                            values_.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_BASE_ZERO, type_of(precision_)),
          "cusparseCreateCsr");
    weights_.reset(matrix);
    scratch_ = nvidia::DeviceMemory(static_cast<std::int64_t>(scratch_bytes()));
    preprocess();
  }
  std::int64_t workspace_bytes() const override { return scratch_.size_bytes(); }

 protected:
  static constexpr float one = 1;
  static constexpr float zero = 0;
  static constexpr cudaDataType compute = CUDA_R_32F;

  virtual std::size_t scratch_bytes() = 0;
  virtual void preprocess() = 0;

  cusparseHandle_t handle() { return library_.handle(); }
  cusparseSpMatDescr_t weights() const { return weights_.get(); }
  void* scratch() const { return scratch_.data(); }
  const SparseProduct& shape() const { return shape_; }
  cudaDataType type() const { return type_of(precision_); }

 private:
  static nvidia::TensorFormat format(const Request& request, const Dims& dims) {
    return nvidia::tensor_format(request.variant.precision, dims, Layout::plain);
  }
  nvidia::DeviceMemory stored(std::span<const std::byte> bytes) {
    nvidia::DeviceMemory memory(static_cast<std::int64_t>(bytes.size()));
    memory.write(bytes, stream());
    return memory;
  }

  Library& library_;
  SparseProduct shape_;
  Precision precision_;
  nvidia::DeviceMemory begins_;
  nvidia::DeviceMemory columns_;
  nvidia::DeviceMemory values_;
  nvidia::DeviceMemory scratch_;
  SparseMatrix weights_;
};

class MatrixProduct final : public SparseProductPrimitive {
 public:
  MatrixProduct(const Request& request, const SparseProduct& shape, cusparseSpMMAlg_t algorithm)
      : SparseProductPrimitive(request, shape),
        algorithm_(algorithm),
        input_(columns(shape.k, input(0))),
        result_(columns(shape.m, output())) {}

  void run() override {
    check(cusparseSpMM(handle(), CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE,
                       &one, weights(), input_.get(), &zero, result_.get(), compute, algorithm_,
                       scratch()),
          "cusparseSpMM");
  }

 private:
  DenseMatrix columns(std::int64_t rows, std::byte* values) const {
    cusparseDnMatDescr_t matrix = nullptr;
    check(cusparseCreateDnMat(&matrix, rows, shape().n, rows, values, type(), CUSPARSE_ORDER_COL),
          "cusparseCreateDnMat");
    return DenseMatrix(matrix);
  }
  std::size_t scratch_bytes() override {
    std::size_t bytes = 0;
    check(cusparseSpMM_bufferSize(handle(), CUSPARSE_OPERATION_NON_TRANSPOSE,
                                  CUSPARSE_OPERATION_NON_TRANSPOSE, &one, weights(), input_.get(),
                                  &zero, result_.get(), compute, algorithm_, &bytes),
          "cusparseSpMM_bufferSize");
    return bytes;
  }
  void preprocess() override {
    check(cusparseSpMM_preprocess(handle(), CUSPARSE_OPERATION_NON_TRANSPOSE,
                                  CUSPARSE_OPERATION_NON_TRANSPOSE, &one, weights(), input_.get(),
                                  &zero, result_.get(), compute, algorithm_, scratch()),
          "cusparseSpMM_preprocess");
  }

  cusparseSpMMAlg_t algorithm_;
  DenseMatrix input_;
  DenseMatrix result_;
};

/// For a single row of X.
class VectorProduct final : public SparseProductPrimitive {
 public:
  VectorProduct(const Request& request, const SparseProduct& shape, cusparseSpMVAlg_t algorithm)
      : SparseProductPrimitive(request, shape),
        algorithm_(algorithm),
        input_(vector(shape.k, input(0))),
        result_(vector(shape.m, output())) {}

  void run() override {
    check(cusparseSpMV(handle(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one, weights(), input_.get(),
                       &zero, result_.get(), compute, algorithm_, scratch()),
          "cusparseSpMV");
  }

 private:
  DenseVector vector(std::int64_t length, std::byte* values) const {
    cusparseDnVecDescr_t made = nullptr;
    check(cusparseCreateDnVec(&made, length, values, type()), "cusparseCreateDnVec");
    return DenseVector(made);
  }
  std::size_t scratch_bytes() override {
    std::size_t bytes = 0;
    check(cusparseSpMV_bufferSize(handle(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one, weights(),
                                  input_.get(), &zero, result_.get(), compute, algorithm_, &bytes),
          "cusparseSpMV_bufferSize");
    return bytes;
  }
  void preprocess() override {
    check(
        cusparseSpMV_preprocess(handle(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one, weights(),
                                input_.get(), &zero, result_.get(), compute, algorithm_, scratch()),
        "cusparseSpMV_preprocess");
  }

  cusparseSpMVAlg_t algorithm_;
  DenseVector input_;
  DenseVector result_;
};

template <class Call, class Named>
harness::Way way_of(Library& library, const SparseProduct& shape, const harness::Variant& prototype,
                    const Named& product) {
  return nvidia::way_of(library, prototype, std::string(product.name),
                        [shape, algorithm = product.algorithm](const Request& request) {
                          return std::make_unique<Call>(request, shape, algorithm);
                        });
}

std::vector<harness::Way> ways(Library& library, const SparseProduct& shape,
                               const harness::Variant& prototype, harness::AlgorithmSet) {
  type_of(prototype.precision);
  std::vector<harness::Way> found;
  if (shape.n == 1) {
    for (const auto& product : vector_products) {
      found.push_back(way_of<VectorProduct>(library, shape, prototype, product));
    }
  }
  for (const auto& product : matrix_products) {
    found.push_back(way_of<MatrixProduct>(library, shape, prototype, product));
  }
  return found;
}

}  // namespace

/// All algorithms for compressed rows; for a single row of X also those for vectors.
void register_sparse_product(WayTable& table) {
  table.add(harness::Family<Library, SparseProduct>{
      .layouts = [](const SparseProduct&) { return std::vector{Layout::plain}; }, .ways = ways});
}

}  // namespace benanza::cusparse
