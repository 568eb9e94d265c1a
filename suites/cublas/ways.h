#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "core/problem/ops/gemm.h"
#include "core/problem/problem.h"
#include "suites/cublas/backend.h"
#include "suites/harness/way_table.h"
#include "suites/nvidia/device/tensor_format.h"
#include "suites/nvidia/run/primitive.h"

namespace benanza::cublas {

/// BLAS is column-major: a row-major matrix is its transpose there. C = op(A) op(B) becomes
/// C^T = op(B)^T op(A)^T, so BLAS' first matrix is B (operand 1), its second A (operand 0).
constexpr std::size_t first_operand = 1;
constexpr std::size_t second_operand = 0;

/// One batched matrix product in BLAS terms. Strides and offsets in elements.
struct BlasGemm {
  bool transpose_first = false;
  bool transpose_second = false;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t ld_first = 0;
  std::int64_t ld_second = 0;
  std::int64_t ld_result = 0;
  std::int64_t batches = 1;
  /// From one batch to the next; 0 repeats the matrix. Unused if `offsets` are given.
  std::int64_t stride_first = 0;
  std::int64_t stride_second = 0;
  std::int64_t stride_result = 0;
  /// The offset of each batch's matrix if no single stride fits the broadcast, otherwise empty.
  std::vector<std::int64_t> offsets_first;
  std::vector<std::int64_t> offsets_second;

  bool strided() const { return offsets_first.empty(); }
  bool operator==(const BlasGemm&) const = default;
};

/// Merges batches that share one B into one taller product, if A's rows are contiguous across
/// batches. The memory of operands and result does not change.
Gemm folded(const Gemm& gemm);

/// How a product's B is stored if it is a weight, which may be rearranged when a model is loaded:
/// as the problem says; transposed; or in 8-bit floats with a scale for each block of 128 x 128,
/// next to data with a scale for each 128 elements of a row, and a result of 16 bits.
enum class Weights { as_given, transposed, in_blocks };

/// Returns `gemm` with B stored as `weights` say if it is a weight; of 8-bit types always so that
/// it is transposed, as BLAS only has "A transposed, B not" for them.
Gemm packed(const Gemm& gemm, Precision precision, Weights weights = Weights::as_given);

BlasGemm blas_gemm(const Gemm& gemm);

/// The product of a matrix and a vector: y = op(matrix) * vector; the matrix is `rows` x `columns`
/// before op.
struct BlasGemv {
  /// Which operand is the matrix; the other is the vector.
  std::size_t matrix_operand = 0;
  bool transpose = false;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t batches = 1;
  std::int64_t stride_matrix = 0;
  std::int64_t stride_vector = 0;
  std::int64_t stride_result = 0;

  std::size_t vector_operand() const { return 1 - matrix_operand; }
  bool operator==(const BlasGemv&) const = default;
};

/// True if one operand is a vector and the batches of each operand have a single stride.
bool is_gemv(const Gemm& gemm);
/// `gemm` must satisfy is_gemv().
BlasGemv blas_gemv(const Gemm& gemm);

/// A problem as one matrix product, factor * op(A) op(B), and the problem's epilogue.
struct Product {
  Gemm gemm;
  Epilogue epilogue;
  /// Where A and B come from: an index into inputs(problem); if empty, every element is 1.
  std::array<std::optional<std::size_t>, 2> sources{0, 1};
  float factor = 1;
  bool operator==(const Product&) const = default;

  Problem problem() const { return {gemm, epilogue}; }
};

/// The problem as a product: a Gemm, and its result times a number; a convolution of 1x1 filters at
/// every pixel, in one group (pixels by channels if channels are innermost, otherwise channels by
/// pixels, image by image, without a bias); a sum or mean over adjacent axes, including average
/// pooling of whole images (a product with ones). Empty for other problems.
std::optional<Product> product_of(const Problem& problem, Layout layout);

/// The formats of the operands of a problem that has a product: as the layout defines, except a
/// Gemm's packed weights. Bias and residual of a Gemm have a wider type if the library has no 8-bit
/// one.
std::vector<nvidia::TensorFormat> input_formats(const Problem& problem, Precision precision,
                                                Weights weights = Weights::as_given,
                                                Layout layout = Layout::plain);

using WayTable = harness::WayTable<Library>;
using Request = nvidia::Request<Library>;
using Ways = std::vector<harness::Way>;

/// The ways of all files in ops/: ops/X.cpp and ops/X/X.cpp define register_X(WayTable&). The
/// library's default comes first, then the algorithms that can be chosen.
WayTable way_table();

/// Ways for every kind of problem that may be a product (product_of()), which both functions
/// receive; otherwise as in harness::Family.
struct ProductFamily {
  std::function<Ways(Library&, const Product&, const harness::Variant& prototype,
                     harness::AlgorithmSet)>
      ways;
  std::function<std::optional<harness::Way>(Library&, const Product&, const harness::Variant&)>
      way = nullptr;
};
void add(WayTable& table, const ProductFamily& family);

/// Throws Unsupported if the problem is not one of 8-bit floats with a scale for each block of 128
/// weights: what Weights::in_blocks are.
void require_blocks(const harness::Variant& variant);

/// Before the name of a way that multiplies by weights unpacked when the model is loaded.
inline constexpr std::string_view unpacked = "unpacked.";
/// The same product with plain weights. Throws Unsupported where such ways make no bound: for few
/// rows of weights that no library here reads as they are stored, and at 8 bits.
harness::Variant with_plain_weights(harness::Variant variant, std::int64_t rows);

/// Where operands A (0) and B (1) of a product come from.
class Factors {
 public:
  Factors(const Request& request, const Product& product);
  std::byte* at(const nvidia::CudaPrimitive& call, std::size_t index) const;

 private:
  std::array<std::optional<std::size_t>, 2> sources_;
  /// Used for an operand without a source.
  nvidia::DeviceMemory ones_;
};

/// The operands and the result of a product.
nvidia::CallSetup product_setup(const harness::Variant& variant,
                                Weights weights = Weights::as_given);
/// The primitive of a call to the library, with its time checked against the device's peaks.
template <class Calls>
std::unique_ptr<harness::Primitive> call_of(const Request& request, nvidia::CallSetup setup,
                                            Calls calls) {
  auto made = std::make_unique<nvidia::CallOf<nvidia::CudaPrimitive, Calls>>(
      std::move(calls), request.library.cuda(), request.operands, std::move(setup));
  made->guard(work(request.variant.problem, request.variant.precision), request.variant.precision);
  return made;
}

/// The same for a product by a function of the library's handle, which has a workspace.
template <class Calls>
std::unique_ptr<harness::Primitive> handle_call_of(const Request& request, Calls calls) {
  nvidia::CallSetup setup = product_setup(request.variant);
  request.library.handle();
  setup.handle_workspace_bytes = request.library.handle_workspace_bytes();
  return call_of(request, std::move(setup), std::move(calls));
}

}  // namespace benanza::cublas
