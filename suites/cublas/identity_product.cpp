#include "suites/cublas/identity_product.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>

#include "suites/cublas/device_addresses.h"
#include "suites/cublas/types.h"
#include "suites/harness/primitive.h"
#include "suites/nvidia/device/convert.h"

namespace benanza::cublas {
namespace {

constexpr std::size_t most_matrices = 1 << 16;
constexpr std::int64_t word_bytes = 8;

template <class Number>
constexpr Number one = 1;
template <class Number>
constexpr Number zero = 0;

nvidia::TensorFormat format(Precision precision, const Dims& dims) {
  return nvidia::tensor_format(precision, dims, Layout::plain);
}

/// Not TF32, which would round the elements.
cublasComputeType_t exact(Precision precision) {
  return types_of(precision == Precision::tf32 ? Precision::fp32 : precision).compute;
}

template <class Real>
std::vector<Real> ones_on_diagonal(std::int64_t side) {
  const auto count = static_cast<std::size_t>(side);
  std::vector<Real> ones(count * count);
  for (std::size_t i = 0; i < count; ++i) ones[i * count + i] = 1;
  return ones;
}

std::vector<std::byte> identity_matrix(Precision precision, bool words, std::int64_t side) {
  if (!words) {
    return nvidia::to_storage(ones_on_diagonal<float>(side), format(precision, {side, side}));
  }
  const std::vector<double> ones = ones_on_diagonal<double>(side);
  const auto bytes = std::as_bytes(std::span(ones));
  return {bytes.begin(), bytes.end()};
}

const void* const* list(const nvidia::DeviceMemory& memory) {
  return reinterpret_cast<const void* const*>(memory.data());
}

/// Adds the ways of one side and length.
void add_ways(const Copy& shape, Precision precision, Side side, std::int64_t length,
              std::vector<IdentityWay>& found) {
  const BlockMove move = block_move(shape, side, length, most_matrices);
  if (element_bytes(precision) == 4) {
    if (move.transposed) {
      throw harness::Unsupported("cublasLtMatrixTransform transposes 32-bit elements faster");
    }
    try {
      in_units(move, word_bytes / element_bytes(precision));
      found.push_back({side, length, true});
    } catch (const harness::Unsupported&) {
      // Single elements, then.
    }
  }
  found.push_back({side, length, false});
}

/// In units of what the products move.
BlockMove moved(const Copy& shape, Precision precision, const IdentityWay& way) {
  BlockMove move = block_move(shape, way.side, way.length, most_matrices);
  return way.words ? in_units(std::move(move), word_bytes / element_bytes(precision)) : move;
}

IdentityBatch batch_of(const BlockMove& move, Precision precision, bool words) {
  const bool is_turned = move.transposed && move.side == Side::source;
  const IdentityFactor ones{.ld = move.length};
  const IdentityFactor source{.transposed = move.transposed, .ld = move.ld_source};
  return {.m = is_turned ? move.count : move.length,
          .n = is_turned ? move.length : move.count,
          .k = move.length,
          .count = static_cast<std::int64_t>(move.sources.size()),
          .first = is_turned ? source : ones,
          .second = is_turned ? ones : source,
          .ld_result = move.ld_result,
          .type = words ? CUDA_R_64F : types_of(precision).operand,
          .compute = words ? CUBLAS_COMPUTE_64F : exact(precision),
          .one = words ? static_cast<const void*>(&one<double>) : &one<float>,
          .zero = words ? static_cast<const void*>(&zero<double>) : &zero<float>};
}

}  // namespace

std::string IdentityWay::text() const {
  return std::to_string(length) + (words ? ".words" : "") + (side == Side::result ? ".result" : "");
}

std::vector<IdentityWay> identity_ways(const Copy& shape, Precision precision) {
  if (element_bytes(precision) == 1) {
    throw harness::Unsupported("products with an identity matrix have no 8-bit result");
  }
  std::vector<IdentityWay> found;
  std::string refusal;
  for (const Side side : {Side::source, Side::result}) {
    try {
      for (const std::int64_t length : block_lengths(shape, side)) {
        add_ways(shape, precision, side, length, found);
      }
    } catch (const harness::Unsupported& none) {
      if (refusal.empty()) refusal = none.what();
    }
  }
  if (found.empty()) throw harness::Unsupported(refusal);
  std::ranges::stable_sort(found, std::greater<>(), &IdentityWay::length);
  return found;
}

IdentityBatch identity_batch(const Copy& shape, Precision precision, const IdentityWay& way) {
  return batch_of(moved(shape, precision, way), precision, way.words);
}

IdentityProduct::IdentityProduct(Library& library, const Copy& shape,
                                 const harness::Variant& variant, const IdentityWay& way)
    : CudaPrimitive(library.cuda(), {format(variant.precision, shape.inputs().front().dims)},
                    format(variant.precision, shape.output()), 0),
      library_(library) {
  const BlockMove move = moved(shape, variant.precision, way);
  const std::int64_t size = way.words ? word_bytes : element_bytes(variant.precision);
  const std::vector<std::byte> ones = identity_matrix(variant.precision, way.words, move.length);
  identity_ = nvidia::DeviceMemory(static_cast<std::int64_t>(ones.size()));
  identity_.write(ones, stream());
  const std::vector<std::int64_t> same(move.sources.size(), 0);
  identities_ = device_addresses(identity_.data(), same, size, stream());
  sources_ = device_addresses(input(0), move.sources, size, stream());
  results_ = device_addresses(output(), move.results, size, stream());
  batch_ = batch_of(move, variant.precision, way.words);
  const bool is_turned = batch_.first.transposed;
  (is_turned ? batch_.first : batch_.second).addresses = list(sources_);
  (is_turned ? batch_.second : batch_.first).addresses = list(identities_);
  batch_.results = reinterpret_cast<void* const*>(results_.data());
  guard(work(variant.problem, variant.precision), variant.precision);
}

}  // namespace benanza::cublas
