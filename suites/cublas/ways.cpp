#include "suites/cublas/ways.h"

#include <algorithm>
#include <string>
#include <utility>

#include "suites/harness/packed_values.h"
#include "suites/nvidia/device/tensor_format.h"

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
                                                Weights weights, Layout layout) {
  std::vector<nvidia::TensorFormat> formats;
  for (const Operand& operand : inputs(problem)) {
    formats.push_back(nvidia::tensor_format(precision, operand.dims, layout));
  }
  const auto* const gemm = std::get_if<Gemm>(&problem.shape);
  if (gemm != nullptr && packed(*gemm, precision, weights).transpose_b != gemm->transpose_b) {
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

namespace {

Product product(const harness::Variant& variant) {
  auto found = product_of(variant.problem, variant.layout);
  if (!found) throw harness::Unsupported("cuBLAS: the problem is no matrix product");
  const bool is_gemm = std::holds_alternative<Gemm>(variant.problem.shape);
  if (!is_gemm && element_bytes(variant.precision) == 1) {
    throw harness::Unsupported("cuBLAS: only matrix products are asked for in 8 bits");
  }
  return *std::move(found);
}

/// Gemms have only the plain layout; other problems the layouts in which they are products.
template <class Shape>
std::vector<Layout> layouts(const Shape& shape) {
  if constexpr (std::is_same_v<Shape, Gemm>) {
    return {Layout::plain};
  } else {
    constexpr std::size_t least_image_rank = 3;
    constexpr std::size_t most_image_rank = 5;
    const std::size_t rank = shape.input.size();
    const bool is_image = rank >= least_image_rank && rank <= most_image_rank;
    std::vector<Layout> found;
    for (const Layout layout :
         is_image ? std::vector{Layout::nchw, Layout::nhwc} : std::vector{Layout::plain}) {
      if (product_of({shape, {}}, layout)) found.push_back(layout);
    }
    return found;
  }
}

template <class Shape>
void add_for(WayTable& table, const ProductFamily& family) {
  harness::Family<Library, Shape> made{
      .layouts = layouts<Shape>,
      .ways = [ways = family.ways](Library& library, const Shape&,
                                   const harness::Variant& prototype, harness::AlgorithmSet set) {
        return ways(library, product(prototype), prototype, set);
      }};
  if (family.way) {
    made.way = [way = family.way](Library& library, const Shape&, const harness::Variant& variant) {
      return way(library, product(variant), variant);
    };
  }
  table.add(std::move(made));
}

/// Products of weights that were packed.
void add_unpacked(WayTable& table, const ProductFamily& family) {
  const auto named = [](harness::Way way) {
    way.name = std::string(unpacked) + way.name;
    if (way.near) {
      way.near = [near = std::move(way.near)] {
        std::vector<harness::Algorithm> names = near();
        for (harness::Algorithm& name : names) name.insert(0, unpacked);
        return names;
      };
    }
    return way;
  };
  harness::Family<Library, Gemm> made{
      .layouts = layouts<Gemm>,
      .ways =
          [ways = family.ways, named](Library& library, const Gemm& shape,
                                      const harness::Variant& prototype,
                                      harness::AlgorithmSet set) {
            const harness::Variant plain = with_plain_weights(prototype, shape.m);
            Ways found = ways(library, product(plain), plain, set);
            std::ranges::transform(found, found.begin(), named);
            return found;
          },
      .for_packed = true};
  if (family.way) {
    made.way = [way = family.way, named](
                   Library& library, const Gemm& shape,
                   const harness::Variant& variant) -> std::optional<harness::Way> {
      if (!variant.algorithm.starts_with(unpacked)) return std::nullopt;
      harness::Variant plain = with_plain_weights(variant, shape.m);
      plain.algorithm.erase(0, unpacked.size());
      auto found = way(library, product(plain), plain);
      return found ? std::optional(named(*std::move(found))) : std::nullopt;
    };
  }
  table.add(std::move(made));
}

}  // namespace

harness::Variant with_plain_weights(harness::Variant variant, std::int64_t rows) {
  if (!harness::is_multiplied_packed(*variant.problem.packed)) {
    harness::require_rows_to_unpack(rows);
  }
  if (element_bytes(variant.precision) == 1) {
    throw harness::Unsupported("packed weights are not unpacked to 8 bits");
  }
  variant.problem.packed.reset();
  return variant;
}

void require_blocks(const harness::Variant& variant) {
  const PackedWeights blocks{.type = PackedType::fp8, .block = 128};
  if (variant.problem.packed != blocks || variant.precision != Precision::fp8) {
    throw harness::Unsupported(
        "cuBLASLt multiplies fp8 weights in blocks of 128 by data of the same type");
  }
}

void add(WayTable& table, const ProductFamily& family) {
  add_for<Gemm>(table, family);
  add_unpacked(table, family);
  add_for<Convolution>(table, family);
  add_for<Reduction>(table, family);
  add_for<Pooling>(table, family);
}

Factors::Factors(const Request& request, const Product& product) : sources_(product.sources) {
  if (sources_[0] && sources_[1]) return;
  const auto format =
      nvidia::tensor_format(request.variant.precision, {product.gemm.k}, Layout::plain);
  ones_ = nvidia::DeviceMemory(nvidia::span_bytes(format));
  const std::vector<float> values(static_cast<std::size_t>(product.gemm.k), 1);
  ones_.write(nvidia::to_storage(values, format), request.library.cuda().stream());
}

std::byte* Factors::at(const nvidia::CudaPrimitive& call, std::size_t index) const {
  const auto& source = sources_.at(index);
  return source ? call.input(*source) : ones_.data();
}

nvidia::CallSetup product_setup(const harness::Variant& variant, Weights weights) {
  const auto& [problem, precision, layout, algorithm, strides] = variant;
  const Precision result = weights == Weights::in_blocks ? Precision::bf16 : precision;
  return {.inputs = input_formats(problem, precision, weights, layout),
          .results = {nvidia::tensor_format(result, output(problem), layout)}};
}

}  // namespace benanza::cublas
