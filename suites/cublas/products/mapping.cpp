#include "suites/cublas/products/mapping.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace benanza::cublas {
namespace {

/// The offset of the operand's matrix for each batch of the result, in elements.
std::vector<std::int64_t> batch_offsets(const Dims& operand, const Dims& result,
                                        std::int64_t matrix_elements) {
  const Dims dense = nvidia::tensor_strides(operand, Layout::plain);
  std::vector<std::int64_t> offsets{0};
  for (std::size_t axis = 0; axis < result.size(); ++axis) {
    const std::int64_t step = operand[axis] == 1 ? 0 : dense[axis] * matrix_elements;
    std::vector<std::int64_t> next;
    next.reserve(offsets.size() * static_cast<std::size_t>(result[axis]));
    for (const std::int64_t offset : offsets) {
      for (std::int64_t index = 0; index < result[axis]; ++index) {
        next.push_back(offset + index * step);
      }
    }
    offsets = std::move(next);
  }
  return offsets;
}

/// The common stride of the offsets, if there is one.
std::optional<std::int64_t> common_step(const std::vector<std::int64_t>& offsets) {
  if (offsets.size() == 1) return 0;
  for (std::size_t index = 1; index < offsets.size(); ++index) {
    if (offsets[index] - offsets[index - 1] != offsets[1]) return std::nullopt;
  }
  return offsets[1];
}

std::vector<std::int64_t> offsets_of_a(const Gemm& gemm) {
  return batch_offsets(gemm.batch_a, gemm.batch(), gemm.m * gemm.k);
}

std::vector<std::int64_t> offsets_of_b(const Gemm& gemm) {
  return batch_offsets(gemm.batch_b, gemm.batch(), gemm.k * gemm.n);
}

bool is_byte(Precision precision) { return element_bytes(precision) == 1; }

}  // namespace

Gemm folded(const Gemm& gemm) {
  if (gemm.batch_a.empty() || gemm.transpose_a || element_count(gemm.batch_b) != 1) return gemm;
  Gemm tall = gemm;
  tall.m *= element_count(gemm.batch_a);
  tall.batch_a.clear();
  tall.batch_b.clear();
  return tall;
}

Gemm packed(const Gemm& gemm, Precision precision, Weights weights) {
  Gemm result = gemm;
  if (!gemm.constant_b) return result;
  if (weights == Weights::transposed) result.transpose_b = !gemm.transpose_b;
  if (is_byte(precision)) result.transpose_b = true;
  return result;
}

BlasGemm blas_gemm(const Gemm& gemm) {
  BlasGemm blas{.transpose_first = gemm.transpose_b,
                .transpose_second = gemm.transpose_a,
                .m = gemm.n,
                .n = gemm.m,
                .k = gemm.k,
                .ld_first = gemm.transpose_b ? gemm.k : gemm.n,
                .ld_second = gemm.transpose_a ? gemm.m : gemm.k,
                .ld_result = gemm.n,
                .batches = element_count(gemm.batch()),
                .stride_result = gemm.m * gemm.n,
                .offsets_first = {},
                .offsets_second = {}};
  std::vector<std::int64_t> first = offsets_of_b(gemm);
  std::vector<std::int64_t> second = offsets_of_a(gemm);
  const auto first_step = common_step(first);
  const auto second_step = common_step(second);
  if (first_step && second_step) {
    blas.stride_first = *first_step;
    blas.stride_second = *second_step;
  } else {
    blas.offsets_first = std::move(first);
    blas.offsets_second = std::move(second);
  }
  return blas;
}

bool is_gemv(const Gemm& gemm) { return (gemm.m == 1 || gemm.n == 1) && blas_gemm(gemm).strided(); }

BlasGemv blas_gemv(const Gemm& gemm) {
  const BlasGemm blas = blas_gemm(gemm);
  // C^T = first * second. With one column, first is the matrix and second the vector. With one row,
  // second is the matrix, transposed: C = second^T * first^T.
  const bool first_is_matrix = blas.n == 1;
  BlasGemv gemv{.matrix_operand = first_is_matrix ? first_operand : second_operand,
                .batches = blas.batches,
                .stride_result = blas.stride_result};
  if (first_is_matrix) {
    gemv.transpose = blas.transpose_first;
    gemv.rows = blas.transpose_first ? blas.k : blas.m;
    gemv.columns = blas.transpose_first ? blas.m : blas.k;
    gemv.stride_matrix = blas.stride_first;
    gemv.stride_vector = blas.stride_second;
  } else {
    gemv.transpose = !blas.transpose_second;
    gemv.rows = blas.transpose_second ? blas.n : blas.k;
    gemv.columns = blas.transpose_second ? blas.k : blas.n;
    gemv.stride_matrix = blas.stride_second;
    gemv.stride_vector = blas.stride_first;
  }
  return gemv;
}

std::vector<nvidia::TensorFormat> input_formats(const Problem& problem, Precision precision,
                                                Weights weights) {
  const auto& gemm = std::get<Gemm>(problem.shape);
  std::vector<nvidia::TensorFormat> formats;
  for (const Operand& operand : inputs(problem)) {
    formats.push_back(nvidia::tensor_format(precision, operand.dims, Layout::plain));
  }
  if (packed(gemm, precision, weights).transpose_b != gemm.transpose_b) {
    Dims& strides = formats[1].strides;
    const std::size_t rank = strides.size();
    strides[rank - 2] = 1;
    strides[rank - 1] = formats[1].dims[rank - 2];
  }
  // Bias and residual have a wider type if the library has no 8-bit one.
  if (const auto bias = bias_operand(problem); bias && is_byte(precision)) {
    formats[*bias].precision = Precision::bf16;
  }
  if (const auto residual = residual_operand(problem); residual && precision == Precision::fp8) {
    formats[*residual].precision = Precision::bf16;
  }
  return formats;
}

nvidia::TensorFormat output_format(const Problem& problem, Precision precision) {
  return nvidia::tensor_format(precision, output(problem), Layout::plain);
}

namespace {

bool all(const Dims& values, std::int64_t wanted) {
  return std::ranges::all_of(values, [&](std::int64_t value) { return value == wanted; });
}

std::optional<Product> of(const Convolution& shape, const Epilogue& epilogue, Layout layout) {
  const Window& window = shape.window;
  const bool is_of_pixels = all(window.kernel, 1) && all(window.strides, 1);
  // One pixel of the result: an image is a row of the product.
  const bool is_of_images = window.kernel == spatial(shape.input) && all(window.dilations, 1);
  if ((!is_of_pixels && !is_of_images) || !all(window.pads, 0) || shape.groups != 1) {
    return std::nullopt;
  }
  const std::int64_t images = shape.input[0];
  const std::int64_t channels = shape.input[1];
  const std::int64_t pixels = element_count(shape.input) / (images * channels);
  Product product{.gemm = {}, .epilogue = epilogue};
  if (is_of_images || layout == Layout::nhwc) {
    product.gemm = {.m = is_of_images ? images : images * pixels,
                    .n = shape.filters,
                    .k = shape.reduction_length(),
                    .transpose_b = true,
                    .batch_a = {},
                    .batch_b = {},
                    .constant_b = true};
    return product;
  }
  // A bias would run along the rows.
  if (epilogue.bias) return std::nullopt;
  product.gemm = {.m = shape.filters, .n = pixels, .k = channels, .batch_a = {}, .batch_b = {}};
  if (images > 1) {
    product.gemm.batch_a = {1};
    product.gemm.batch_b = {images};
  }
  product.sources = {1, 0};
  return product;
}

/// The sum over `axes`, which must be adjacent in memory, times `factor`.
std::optional<Product> sum(const Dims& input, const Dims& axes, Layout layout, float factor) {
  const auto extents = Reduction{ReductionKind::sum, input, axes}.adjacent(layout == Layout::nhwc);
  if (!extents) return std::nullopt;
  const auto [outer, length, inner] = *extents;
  Product product{.gemm = {}, .epilogue = {}, .factor = factor};
  if (inner == 1) {
    product.gemm = {.m = outer, .n = 1, .k = length, .batch_a = {}, .batch_b = {}};
    product.sources = {0, std::nullopt};
    return product;
  }
  product.gemm = {.m = 1, .n = inner, .k = length, .batch_a = {}, .batch_b = {}};
  if (outer > 1) {
    product.gemm.batch_a = {1};
    product.gemm.batch_b = {outer};
  }
  product.sources = {std::nullopt, 0};
  return product;
}

/// A product by a number is the library's alpha.
std::optional<Product> of(const Gemm& shape, const Epilogue& epilogue, Layout) {
  Product product{.gemm = shape, .epilogue = epilogue};
  const auto& after = epilogue.activation;
  if (after && after->kind == ActivationKind::linear && after->beta == 0 && !epilogue.bias &&
      !epilogue.residual) {
    product.factor = after->alpha;
    product.epilogue.activation.reset();
  }
  return product;
}

std::optional<Product> of(const Reduction& shape, const Epilogue&, Layout layout) {
  if (shape.kind == ReductionKind::sum) return sum(shape.input, shape.axes, layout, 1);
  if (shape.kind != ReductionKind::mean) return std::nullopt;
  return sum(shape.input, shape.axes, layout, 1 / static_cast<float>(shape.reduction_length()));
}

std::optional<Product> of(const Pooling& shape, const Epilogue&, Layout layout) {
  if (shape.mode == PoolingMode::max || shape.window.has_padding() ||
      shape.window.kernel != spatial(shape.input) || !all(shape.window.dilations, 1)) {
    return std::nullopt;
  }
  Dims axes;
  for (std::size_t axis = 2; axis < shape.input.size(); ++axis) {
    axes.push_back(static_cast<std::int64_t>(axis));
  }
  return sum(shape.input, axes, layout, 1 / static_cast<float>(shape.reduction_length()));
}

template <class Shape>
std::optional<Product> of(const Shape&, const Epilogue&, Layout) {
  return std::nullopt;
}

}  // namespace

std::optional<Product> product_of(const Problem& problem, Layout layout) {
  return std::visit([&](const auto& shape) { return of(shape, problem.epilogue, layout); },
                    problem.shape);
}

std::vector<nvidia::TensorFormat> operand_formats(const Problem& problem, Precision precision,
                                                  Layout layout, Weights weights) {
  if (std::holds_alternative<Gemm>(problem.shape)) {
    return input_formats(problem, precision, weights);
  }
  std::vector<nvidia::TensorFormat> formats;
  for (const Operand& operand : inputs(problem)) {
    formats.push_back(nvidia::tensor_format(precision, operand.dims, layout));
  }
  return formats;
}

nvidia::TensorFormat result_format(const Problem& problem, Precision precision, Layout layout) {
  if (std::holds_alternative<Gemm>(problem.shape)) return output_format(problem, precision);
  return nvidia::tensor_format(precision, output(problem), layout);
}

}  // namespace benanza::cublas
