#include "suites/cublas/ops/movement/movement.h"

#include "core/problem/problem.h"
#include "suites/harness/int8_scale.h"

// Copies of matrices: transpositions, and strided rows.
namespace benanza::cublas {
namespace {

constexpr std::int64_t word_bytes = 8;
constexpr float alpha = 1;
constexpr float beta = 0;

/// cublasLtMatrixTransform().
class LtTransform {
 public:
  LtTransform(const Request& request, const MatrixMove& move) : library_(request.library) {
    cublasLtMatrixTransformDesc_t made = nullptr;
    check(cublasLtMatrixTransformDescCreate(&made, CUDA_R_32F),
          "cublasLtMatrixTransformDescCreate");
    operation_.reset(made);
    const cublasOperation_t transposed = operation(move.transposed);
    check(cublasLtMatrixTransformDescSetAttribute(operation_.get(),
                                                  CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA,
                                                  &transposed, sizeof transposed),
          "cublasLtMatrixTransformDescSetAttribute");
    const cudaDataType type = types_of(request.variant.precision).operand;
    const auto layout = [&](const MatrixMove::Matrix& matrix) {
      return lt_layout(type, matrix.rows, matrix.columns, matrix.ld, move.batches, matrix.stride);
    };
    source_ = layout(move.source);
    result_ = layout(move.result);
  }

  void operator()(const nvidia::CudaPrimitive& call) const {
    check(cublasLtMatrixTransform(library_.lt(), operation_.get(), &alpha, call.input(0),
                                  source_.get(), &beta, nullptr, nullptr, call.output(),
                                  result_.get(), call.stream()),
          "cublasLtMatrixTransform");
  }

 private:
  Library& library_;
  nvidia::Handle<cublasLtMatrixTransformDesc_t, &cublasLtMatrixTransformDescDestroy> operation_;
  LtLayout source_;
  LtLayout result_;
};

/// cublasSgeam(): one fp32 matrix.
auto geam(const Request& request, const MatrixMove& move) {
  return [&library = request.library, move](const nvidia::CudaPrimitive& call) {
    const auto& [source, result, transposed, batches] = move;
    auto* const to = reinterpret_cast<float*>(call.output());
    check(cublasSgeam_64(library.handle(), operation(transposed), CUBLAS_OP_N, result.rows,
                         result.columns, &alpha, reinterpret_cast<const float*>(call.input(0)),
                         source.ld, &beta, to, result.ld, to, result.ld),
          "cublasSgeam");
  };
}

/// cublasDgeam() on strided rows, reinterpreted as 8-byte elements. Such an element is NaN only if
/// the data contain infinities or NaNs; the library's multiplication by 1 leaves all others
/// unchanged.
auto word_geam(const Request& request, const MatrixMove& move) {
  const std::int64_t elements = word_bytes / element_bytes(request.variant.precision);
  return [&library = request.library, move, elements](const nvidia::CudaPrimitive& call) {
    constexpr double double_alpha = 1;
    constexpr double double_beta = 0;
    auto* const to = reinterpret_cast<double*>(call.output());
    const std::int64_t ld = move.result.ld / elements;
    check(cublasDgeam_64(library.handle(), CUBLAS_OP_N, CUBLAS_OP_N, move.result.rows / elements,
                         move.result.columns, &double_alpha,
                         reinterpret_cast<const double*>(call.input(0)), move.source.ld / elements,
                         &double_beta, to, ld, to, ld),
          "cublasDgeam");
  };
}

/// `ask` throws Unsupported for a move that is refused; `calls` makes the call.
template <class Calls>
harness::Family<Library, Copy> movement_family(
    const char* name, void (*ask)(const harness::Variant&, const MatrixMove&), Calls calls) {
  return copy_family(
      [=](Library& library, const Copy& shape, const harness::Variant& prototype) -> Ways {
        const MatrixMove move = matrix_move(shape);
        ask(prototype, move);
        return {nvidia::way_of(library, prototype, name, [=](const Request& request) {
          return copy_call_of(request, shape, calls(request, move));
        })};
      });
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

nvidia::CallSetup copy_setup(const Copy& shape, Precision precision) {
  const auto dense = [&](const Dims& dims) {
    return nvidia::tensor_format(precision, dims, Layout::plain);
  };
  return {.inputs = {dense(shape.inputs().front().dims)}, .results = {dense(shape.output())}};
}

harness::Family<Library, Copy> copy_family(
    std::function<Ways(Library&, const Copy&, const harness::Variant& prototype)> ways) {
  return {.layouts = [](const Copy&) { return std::vector{Layout::plain}; },
          .ways = [ways = std::move(ways)](
                      Library& library, const Copy& shape, const harness::Variant& prototype,
                      harness::AlgorithmSet) { return ways(library, shape, prototype); }};
}

void register_movement(WayTable& table) {
  table.add(movement_family(
      "matrix_transform", &ask_lt,
      [](const Request& request, const MatrixMove& move) { return LtTransform(request, move); }));
  table.add(movement_family("geam", &ask_geam, &geam));
  table.add(movement_family("geam.words", &ask_words, &word_geam));
  add_movement_by_products(table);
}

}  // namespace benanza::cublas
