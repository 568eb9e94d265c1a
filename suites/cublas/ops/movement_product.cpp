#include <span>

#include "core/problem/problem.h"
#include "suites/cublas/block_move.h"
#include "suites/cublas/solvers.h"
#include "suites/cublas/status.h"
#include "suites/cublas/types.h"
#include "suites/harness/primitive.h"
#include "suites/nvidia/device/convert.h"
#include "suites/nvidia/run/primitive.h"

// Transpositions of 16-bit elements, and copies of rows (the transpositions around attention), as
// products of many small matrices with an identity matrix: the only call of the libraries that
// takes an address for every matrix. The result is exact, as every sum has one term that is not 0,
// unless the data contain infinities or NaNs: 0 times those is not 0.
namespace benanza::cublas {
namespace {

constexpr std::string_view name = "gemm_batched.identity";
constexpr std::size_t most_matrices = 1 << 16;

/// A device array of the addresses `base` + `offsets`, which are in elements of `size` bytes.
nvidia::DeviceMemory addresses(std::byte* base, const std::vector<std::int64_t>& offsets,
                               std::int64_t size, cudaStream_t stream) {
  std::vector<std::byte*> found;
  found.reserve(offsets.size());
  for (const std::int64_t offset : offsets) found.push_back(base + offset * size);
  const auto bytes = std::as_bytes(std::span(found));
  nvidia::DeviceMemory memory(static_cast<std::int64_t>(bytes.size()));
  memory.write(bytes, stream);
  return memory;
}

class IdentityProduct final : public nvidia::CudaPrimitive {
 public:
  IdentityProduct(Library& library, const Copy& shape, const harness::Variant& variant)
      : CudaPrimitive(library.cuda(), {format(variant.precision, shape.inputs().front().dims)},
                      format(variant.precision, shape.output()), 0),
        library_(library),
        type_(types_of(variant.precision).operand),
        // Not TF32, which would round the elements.
        compute_(variant.precision == Precision::tf32 ? types_of(Precision::fp32).compute
                                                      : types_of(variant.precision).compute),
        move_(block_move(shape, most_matrices)) {
    const std::int64_t size = element_bytes(variant.precision);
    const auto side = static_cast<std::size_t>(move_.length);
    std::vector<float> ones(side * side);
    for (std::size_t i = 0; i < side; ++i) ones[i * side + i] = 1;
    const auto bytes =
        nvidia::to_storage(ones, format(variant.precision, {move_.length, move_.length}));
    identity_ = nvidia::DeviceMemory(static_cast<std::int64_t>(bytes.size()));
    identity_.write(bytes, stream());
    const std::vector<std::int64_t> same(move_.sources.size(), 0);
    identities_ = addresses(identity_.data(), same, size, stream());
    sources_ = addresses(input(0), move_.sources, size, stream());
    results_ = addresses(output(), move_.results, size, stream());
    guard(work(variant.problem, variant.precision), variant.precision);
  }

  void run() override {
    if (move_.transposed) {
      multiply(CUBLAS_OP_T, move_.count, move_.length, sources_, move_.ld_source, identities_,
               move_.length);
    } else {
      multiply(CUBLAS_OP_N, move_.length, move_.count, identities_, move_.length, sources_,
               move_.ld_source);
    }
  }

 private:
  static nvidia::TensorFormat format(Precision precision, const Dims& dims) {
    return nvidia::tensor_format(precision, dims, Layout::plain);
  }
  /// Results of `rows` x `columns`; `operation` applies to the first factor.
  void multiply(cublasOperation_t operation, std::int64_t rows, std::int64_t columns,
                const nvidia::DeviceMemory& first, std::int64_t ld_first,
                const nvidia::DeviceMemory& second, std::int64_t ld_second) {
    constexpr float alpha = 1;
    constexpr float beta = 0;
    check(cublasGemmBatchedEx_64(
              library_.handle(), operation, CUBLAS_OP_N, rows, columns, move_.length, &alpha,
              list(first), type_, ld_first, list(second), type_, ld_second, &beta,
              reinterpret_cast<void* const*>(results_.data()), type_, move_.ld_result,
              static_cast<std::int64_t>(move_.sources.size()), compute_, CUBLAS_GEMM_DEFAULT),
          "cublasGemmBatchedEx");
  }
  static const void* const* list(const nvidia::DeviceMemory& memory) {
    return reinterpret_cast<const void* const*>(memory.data());
  }

  Library& library_;
  cudaDataType type_;
  cublasComputeType_t compute_;
  BlockMove move_;
  nvidia::DeviceMemory identity_;
  nvidia::DeviceMemory identities_;
  nvidia::DeviceMemory sources_;
  nvidia::DeviceMemory results_;
};

}  // namespace

void register_movement_product(SolverTable& table) {
  table.add<Copy>({.layouts = [](const Copy&) { return std::vector{Layout::plain}; },
                   .algorithms = [](Library&, const Copy& shape, const harness::Variant& prototype,
                                    harness::AlgorithmSet) -> std::vector<harness::Algorithm> {
                     if (element_bytes(prototype.precision) == 1) {
                       throw harness::Unsupported("cublasGemmBatchedEx has no 8-bit result");
                     }
                     block_move(shape, most_matrices);
                     return {std::string(name)};
                   },
                   .create =
                       [](Library& library, const Copy& shape, const harness::Variant& variant) {
                         return std::make_unique<IdentityProduct>(library, shape, variant);
                       },
                   .owns = [](const harness::Algorithm& algorithm) { return algorithm == name; }});
}

}  // namespace benanza::cublas
