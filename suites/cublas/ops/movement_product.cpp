#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/problem/problem.h"
#include "suites/cublas/block_move.h"
#include "suites/cublas/device_addresses.h"
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
constexpr std::string_view words_mark = ".words";
constexpr std::size_t most_matrices = 1 << 16;
constexpr std::int64_t word_bytes = 8;

/// The side of the identity matrix, in elements, and whether pairs of 32-bit elements count as one
/// of 64 bits: "gemm_batched.identity64", "gemm_batched.identity64.words". Such a pair is NaN or
/// infinite only if the data are.
struct Way {
  std::int64_t length = 0;
  bool words = false;

  std::string text() const {
    return std::string(name) + std::to_string(length) + std::string(words ? words_mark : "");
  }
};

/// In the order of their likely speed.
std::vector<Way> ways(const Copy& shape, Precision precision) {
  std::vector<Way> found;
  for (const std::int64_t length : block_lengths(shape)) {
    const BlockMove move = block_move(shape, length, most_matrices);
    if (element_bytes(precision) == 2) {
      found.push_back({length, false});
      continue;
    }
    if (move.transposed) {
      throw harness::Unsupported("cublasLtMatrixTransform transposes 32-bit elements faster");
    }
    try {
      in_units(move, word_bytes / element_bytes(precision));
      found.push_back({length, true});
    } catch (const harness::Unsupported&) {
      // Single elements, then.
    }
    found.push_back({length, false});
  }
  return found;
}

class IdentityProduct final : public nvidia::CudaPrimitive {
 public:
  IdentityProduct(Library& library, const Copy& shape, const harness::Variant& variant,
                  const Way& way)
      : CudaPrimitive(library.cuda(), {format(variant.precision, shape.inputs().front().dims)},
                      format(variant.precision, shape.output()), 0),
        library_(library),
        type_(way.words ? CUDA_R_64F : types_of(variant.precision).operand),
        compute_(way.words ? CUBLAS_COMPUTE_64F : exact(variant.precision)),
        move_(block_move(shape, way.length, most_matrices)) {
    const std::int64_t size = way.words ? word_bytes : element_bytes(variant.precision);
    if (way.words) move_ = in_units(std::move(move_), size / element_bytes(variant.precision));
    const std::vector<std::byte> ones = identity(variant.precision, way.words, move_.length);
    identity_ = nvidia::DeviceMemory(static_cast<std::int64_t>(ones.size()));
    identity_.write(ones, stream());
    const std::vector<std::int64_t> same(move_.sources.size(), 0);
    identities_ = device_addresses(identity_.data(), same, size, stream());
    sources_ = device_addresses(input(0), move_.sources, size, stream());
    results_ = device_addresses(output(), move_.results, size, stream());
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
  /// Not TF32, which would round the elements.
  static cublasComputeType_t exact(Precision precision) {
    return types_of(precision == Precision::tf32 ? Precision::fp32 : precision).compute;
  }
  template <class Real>
  static std::vector<Real> ones_on_diagonal(std::int64_t side) {
    const auto count = static_cast<std::size_t>(side);
    std::vector<Real> ones(count * count);
    for (std::size_t i = 0; i < count; ++i) ones[i * count + i] = 1;
    return ones;
  }
  static std::vector<std::byte> identity(Precision precision, bool words, std::int64_t side) {
    if (!words) {
      return nvidia::to_storage(ones_on_diagonal<float>(side), format(precision, {side, side}));
    }
    const std::vector<double> ones = ones_on_diagonal<double>(side);
    const auto bytes = std::as_bytes(std::span(ones));
    return {bytes.begin(), bytes.end()};
  }
  /// Results of `rows` x `columns`; `operation` applies to the first factor.
  void multiply(cublasOperation_t operation, std::int64_t rows, std::int64_t columns,
                const nvidia::DeviceMemory& first, std::int64_t ld_first,
                const nvidia::DeviceMemory& second, std::int64_t ld_second) {
    constexpr float one = 1;
    constexpr float zero = 0;
    constexpr double long_one = 1;
    constexpr double long_zero = 0;
    const bool is_long = type_ == CUDA_R_64F;
    const void* alpha = is_long ? static_cast<const void*>(&long_one) : &one;
    const void* beta = is_long ? static_cast<const void*>(&long_zero) : &zero;
    check(cublasGemmBatchedEx_64(
              library_.handle(), operation, CUBLAS_OP_N, rows, columns, move_.length, alpha,
              list(first), type_, ld_first, list(second), type_, ld_second, beta,
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
  table.add<Copy>(
      {.layouts = [](const Copy&) { return std::vector{Layout::plain}; },
       .algorithms = [](Library&, const Copy& shape, const harness::Variant& prototype,
                        harness::AlgorithmSet) -> std::vector<harness::Algorithm> {
         if (element_bytes(prototype.precision) == 1) {
           throw harness::Unsupported("cublasGemmBatchedEx has no 8-bit result");
         }
         std::vector<harness::Algorithm> names;
         for (const Way& way : ways(shape, prototype.precision)) names.push_back(way.text());
         return names;
       },
       .create =
           [](Library& library, const Copy& shape, const harness::Variant& variant) {
             for (const Way& way : ways(shape, variant.precision)) {
               if (way.text() != variant.algorithm) continue;
               return std::make_unique<IdentityProduct>(library, shape, variant, way);
             }
             throw harness::Unsupported("no blocks for " + variant.algorithm);
           },
       .owns = [](const harness::Algorithm& algorithm) { return algorithm.starts_with(name); }});
}

}  // namespace benanza::cublas
