#include "suites/cublas/product.h"

#include <algorithm>
#include <utility>

namespace benanza::cublas {
namespace {

bool all(const Dims& values, std::int64_t wanted) {
  return std::ranges::all_of(values, [&](std::int64_t value) { return value == wanted; });
}

std::optional<Product> convolution(const Convolution& shape, const Epilogue& epilogue,
                                   Layout layout) {
  const Window& window = shape.window;
  if (!all(window.kernel, 1) || !all(window.strides, 1) || !all(window.pads, 0) ||
      shape.groups != 1) {
    return std::nullopt;
  }
  const std::int64_t images = shape.input[0];
  const std::int64_t channels = shape.input[1];
  const std::int64_t pixels = element_count(shape.input) / (images * channels);
  Product product{.gemm = {}, .epilogue = epilogue};
  if (layout == Layout::nhwc) {
    product.gemm = {.m = images * pixels,
                    .n = shape.filters,
                    .k = channels,
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

std::optional<Product> of(const Gemm& shape, const Epilogue& epilogue, Layout) {
  return Product{shape, epilogue};
}

std::optional<Product> of(const Convolution& shape, const Epilogue& epilogue, Layout layout) {
  return convolution(shape, epilogue, layout);
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
