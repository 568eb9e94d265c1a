#include <utility>

#include "core/problem/problem.h"
#include "suites/cublas/matrix_move.h"
#include "suites/cublas/solvers.h"
#include "suites/cublas/status.h"
#include "suites/cublas/types.h"
#include "suites/harness/primitive.h"
#include "suites/nvidia/run/primitive.h"

// Copies of matrices: transpositions, and strided rows.
namespace benanza::cublas {
namespace {

constexpr std::string_view by_lt = "matrix_transform";
constexpr std::string_view by_blas = "geam";
constexpr std::string_view by_words = "geam.words";
constexpr std::int64_t word_bytes = 8;
constexpr float alpha = 1;
constexpr float beta = 0;

nvidia::TensorFormat format(Precision precision, const Dims& dims) {
  return nvidia::tensor_format(precision, dims, Layout::plain);
}

class MovePrimitive : public nvidia::CudaPrimitive {
 public:
  MovePrimitive(Library& library, const Copy& shape, const harness::Variant& variant)
      : CudaPrimitive(library.cuda(), {format(variant.precision, shape.inputs().front().dims)},
                      format(variant.precision, shape.output()), 0),
        library_(library),
        move_(matrix_move(shape)) {
    guard(work(variant.problem, variant.precision), variant.precision);
  }

 protected:
  Library& library() const { return library_; }
  const MatrixMove& move() const { return move_; }

 private:
  Library& library_;
  MatrixMove move_;
};

/// cublasLtMatrixTransform().
class LtTransform final : public MovePrimitive {
 public:
  LtTransform(Library& library, const Copy& shape, const harness::Variant& variant)
      : MovePrimitive(library, shape, variant) {
    cublasLtMatrixTransformDesc_t made = nullptr;
    check(cublasLtMatrixTransformDescCreate(&made, CUDA_R_32F),
          "cublasLtMatrixTransformDescCreate");
    operation_.reset(made);
    const cublasOperation_t transposed = operation(move().transposed);
    check(cublasLtMatrixTransformDescSetAttribute(operation_.get(),
                                                  CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA,
                                                  &transposed, sizeof transposed),
          "cublasLtMatrixTransformDescSetAttribute");
    const cudaDataType type = types_of(variant.precision).operand;
    source_ = layout(type, move().source);
    result_ = layout(type, move().result);
  }

  void run() override {
    check(cublasLtMatrixTransform(library().lt(), operation_.get(), &alpha, input(0), source_.get(),
                                  &beta, nullptr, nullptr, output(), result_.get(), stream()),
          "cublasLtMatrixTransform");
  }

 private:
  using Matrix = nvidia::Handle<cublasLtMatrixLayout_t, &cublasLtMatrixLayoutDestroy>;

  Matrix layout(cudaDataType type, const MatrixMove::Matrix& matrix) const {
    cublasLtMatrixLayout_t made = nullptr;
    check(cublasLtMatrixLayoutCreate(&made, type, static_cast<std::uint64_t>(matrix.rows),
                                     static_cast<std::uint64_t>(matrix.columns), matrix.ld),
          "cublasLtMatrixLayoutCreate");
    Matrix held(made);
    const auto count = static_cast<std::int32_t>(move().batches);
    check(cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count,
                                           sizeof count),
          "cublasLtMatrixLayoutSetAttribute");
    check(cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                           &matrix.stride, sizeof matrix.stride),
          "cublasLtMatrixLayoutSetAttribute");
    return held;
  }

  nvidia::Handle<cublasLtMatrixTransformDesc_t, &cublasLtMatrixTransformDescDestroy> operation_;
  Matrix source_;
  Matrix result_;
};

/// cublasSgeam(): one fp32 matrix.
class Geam final : public MovePrimitive {
 public:
  using MovePrimitive::MovePrimitive;

  void run() override {
    const MatrixMove::Matrix& source = move().source;
    const MatrixMove::Matrix& result = move().result;
    auto* const to = reinterpret_cast<float*>(output());
    check(cublasSgeam_64(library().handle(), operation(move().transposed), CUBLAS_OP_N, result.rows,
                         result.columns, &alpha, reinterpret_cast<const float*>(input(0)),
                         source.ld, &beta, to, result.ld, to, result.ld),
          "cublasSgeam");
  }
};

/// cublasDgeam() on strided rows, reinterpreted as 8-byte elements. Such an element is NaN only if
/// the data contain infinities or NaNs; the library's multiplication by 1 leaves all others
/// unchanged.
class WordGeam final : public MovePrimitive {
 public:
  WordGeam(Library& library, const Copy& shape, const harness::Variant& variant)
      : MovePrimitive(library, shape, variant),
        elements_(word_bytes / element_bytes(variant.precision)) {}

  void run() override {
    constexpr double double_alpha = 1;
    constexpr double double_beta = 0;
    const MatrixMove::Matrix& result = move().result;
    auto* const to = reinterpret_cast<double*>(output());
    const std::int64_t ld = result.ld / elements_;
    check(cublasDgeam_64(library().handle(), CUBLAS_OP_N, CUBLAS_OP_N, result.rows / elements_,
                         result.columns, &double_alpha, reinterpret_cast<const double*>(input(0)),
                         move().source.ld / elements_, &double_beta, to, ld, to, ld),
          "cublasDgeam");
  }

 private:
  std::int64_t elements_;
};

template <class Primitive>
harness::Solver<Library, Copy> solver(std::string_view name,
                                      void (*ask)(const harness::Variant&, const MatrixMove&)) {
  return {.layouts = [](const Copy&) { return std::vector{Layout::plain}; },
          .algorithms = [=](Library&, const Copy& shape, const harness::Variant& prototype,
                            harness::AlgorithmSet) -> std::vector<harness::Algorithm> {
            ask(prototype, matrix_move(shape));
            return {std::string(name)};
          },
          .create =
              [](Library& library, const Copy& shape, const harness::Variant& variant) {
                return std::make_unique<Primitive>(library, shape, variant);
              },
          .owns = [=](const harness::Algorithm& algorithm) { return algorithm == name; }};
}

void ask_lt(const harness::Variant& variant, const MatrixMove& move) {
  if (variant.precision == Precision::fp8) {
    throw harness::Unsupported("cublasLtMatrixTransform has no fp8");
  }
  if (variant.precision == Precision::int8 && harness::int8_scale(variant.problem) != 1) {
    throw harness::Unsupported("a movement of int8 scales nothing here");
  }
  constexpr std::int64_t most = std::int64_t{1} << 31;
  if (move.batches >= most) throw harness::Unsupported("cuBLASLt counts batches in 32 bits");
}

void ask_geam(const harness::Variant& variant, const MatrixMove& move) {
  if (variant.precision != Precision::fp32 && variant.precision != Precision::tf32) {
    throw harness::Unsupported("cublas<t>geam has no type of 16 or 8 bits");
  }
  if (move.batches > 1) throw harness::Unsupported("cublasSgeam moves one matrix");
}

/// A problem does not say where a slice starts; this assumes an 8-byte boundary.
void ask_words(const harness::Variant& variant, const MatrixMove& move) {
  if (element_bytes(variant.precision) == 1) {
    throw harness::Unsupported("bytes may be any pattern, which cublasDgeam would not keep");
  }
  const std::int64_t elements = word_bytes / element_bytes(variant.precision);
  const auto is_odd = [&](std::int64_t extent) { return extent % elements != 0; };
  if (move.transposed || is_odd(move.source.rows) || is_odd(move.source.ld) ||
      is_odd(move.result.ld)) {
    throw harness::Unsupported("cublasDgeam moves rows of eight bytes here");
  }
  if (move.batches > 1) throw harness::Unsupported("cublasDgeam moves one matrix");
}

}  // namespace

void register_movement(SolverTable& table) {
  table.add(solver<LtTransform>(by_lt, &ask_lt));
  table.add(solver<Geam>(by_blas, &ask_geam));
  table.add(solver<WordGeam>(by_words, &ask_words));
}

}  // namespace benanza::cublas
