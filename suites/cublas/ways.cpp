#include "suites/cublas/ways.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "suites/harness/packed_values.h"
#include "suites/nvidia/device/convert.h"

namespace benanza::cublas {
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
  return {.inputs = operand_formats(problem, precision, layout, weights),
          .results = {result_format(problem, result, layout)}};
}

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

}  // namespace benanza::cublas
