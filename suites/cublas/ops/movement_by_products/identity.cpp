#include "suites/cublas/ops/movement_by_products/identity.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>

#include "suites/cublas/library.h"
#include "suites/harness/primitive.h"
#include "suites/nvidia/device/convert.h"

namespace benanza::cublas {
namespace {

constexpr std::size_t most_matrices = 1 << 16;
constexpr std::int64_t largest_word_bytes = 8;

template <class Number>
constexpr Number one = 1;
template <class Number>
constexpr Number zero = 0;

/// Not TF32, which would round the elements.
cublasComputeType_t exact(Precision precision) {
  return types_of(precision == Precision::tf32 ? Precision::fp32 : precision).compute;
}

template <class Number>
std::vector<Number> ones_on_diagonal(std::int64_t side) {
  const auto count = static_cast<std::size_t>(side);
  std::vector<Number> ones(count * count);
  for (std::size_t i = 0; i < count; ++i) ones[i * count + i] = 1;
  return ones;
}

template <class Number>
std::vector<std::byte> stored_identity(std::int64_t side) {
  const std::vector<Number> ones = ones_on_diagonal<Number>(side);
  const auto bytes = std::as_bytes(std::span(ones));
  return {bytes.begin(), bytes.end()};
}

std::int64_t bytes_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_64F:
      return largest_word_bytes;
    case CUDA_R_32F:
      return 4;
    case CUDA_R_8I:
      return 1;
    default:
      return 2;
  }
}

/// Adds the ways of one side and length.
void add_ways(const Copy& shape, Precision precision, Side side, std::int64_t length,
              std::vector<IdentityWay>& found) {
  const BlockMove move = block_move(shape, side, length, most_matrices);
  const std::int64_t size = element_bytes(precision);
  if (size == 4 && move.transposed) {
    throw harness::Unsupported("cublasLtMatrixTransform transposes 32-bit elements faster");
  }
  if (size == 1 && move.transposed) {
    throw harness::Unsupported("a transposition of 8-bit elements");
  }
  if (size == 4) {
    try {
      in_units(move, size, largest_word_bytes);
      found.push_back({side, length, Unit::word});
    } catch (const harness::Unsupported&) {
      // Single elements, then.
    }
  }
  found.push_back({side, length, Unit::element});
}

/// The largest power of two, at most 16, that divides all addresses of tensors that start at such
/// an address.
std::uint32_t alignment(const BlockMove& move, std::int64_t size) {
  std::int64_t common = 16;
  for (const std::vector<std::int64_t>* const starts : {&move.sources, &move.results}) {
    for (const std::int64_t start : *starts) common = std::gcd(common, start * size);
  }
  return static_cast<std::uint32_t>(common);
}

IdentityBatch batch_of(const BlockMove& move, Precision precision, Unit unit) {
  const bool is_integer = unit == Unit::element && element_bytes(precision) == 1;
  const bool is_turned = move.transposed && move.side == Side::source;
  const IdentityFactor source{.transposed = move.transposed, .ld = move.ld_source};
  // cuBLASLt multiplies integers only if the first factor is stored transposed, which an identity
  // matrix always is.
  const IdentityFactor ones{.transposed = is_integer, .ld = move.length};
  IdentityBatch batch{.m = is_turned ? move.count : move.length,
                      .n = is_turned ? move.length : move.count,
                      .k = move.length,
                      .count = static_cast<std::int64_t>(move.sources.size()),
                      .first = is_turned ? source : ones,
                      .second = is_turned ? ones : source,
                      .ld_result = move.ld_result,
                      .alignment_bytes = alignment(move, unit_bytes(precision, unit)),
                      .source_first = is_turned,
                      .type = is_integer ? CUDA_R_8I : types_of(precision).operand,
                      .compute = is_integer ? CUBLAS_COMPUTE_32I : exact(precision),
                      .one = &one<float>,
                      .zero = &zero<float>};
  if (unit == Unit::word) {
    batch.type = batch.scale = CUDA_R_64F;
    batch.compute = CUBLAS_COMPUTE_64F;
    batch.one = &one<double>;
    batch.zero = &zero<double>;
  }
  return batch;
}

template <class T>
void identity_set(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute,
                  const T& value) {
  check(cublasLtMatrixLayoutSetAttribute(layout, attribute, &value, sizeof value),
        "cublasLtMatrixLayoutSetAttribute");
}

cublasLtMatrixLayout_t layout(const IdentityBatch& batch, std::int64_t rows, std::int64_t columns,
                              std::int64_t ld) {
  cublasLtMatrixLayout_t created = nullptr;
  check(cublasLtMatrixLayoutCreate(&created, batch.type, static_cast<std::uint64_t>(rows),
                                   static_cast<std::uint64_t>(columns), ld),
        "cublasLtMatrixLayoutCreate");
  identity_set(created, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<std::int32_t>(batch.count));
  identity_set(created, CUBLASLT_MATRIX_LAYOUT_BATCH_MODE,
               static_cast<std::uint32_t>(CUBLASLT_BATCH_MODE_POINTER_ARRAY));
  return created;
}

cublasLtMatrixLayout_t layout(const IdentityBatch& batch, const IdentityFactor& factor,
                              std::int64_t rows, std::int64_t columns) {
  return factor.transposed ? layout(batch, columns, rows, factor.ld)
                           : layout(batch, rows, columns, factor.ld);
}

}  // namespace

std::vector<std::byte> identity_matrix(Precision precision, Unit unit, std::int64_t side) {
  if (unit == Unit::word) return stored_identity<double>(side);
  if (element_bytes(precision) == 1) return stored_identity<std::int8_t>(side);
  return nvidia::to_storage(ones_on_diagonal<float>(side),
                            nvidia::tensor_format(precision, {side, side}, Layout::plain));
}

std::int64_t unit_bytes(Precision precision, Unit unit) {
  return unit == Unit::word ? largest_word_bytes : element_bytes(precision);
}

BlockMove moved(const Copy& shape, Precision precision, const IdentityWay& way) {
  BlockMove move = block_move(shape, way.side, way.length, most_matrices);
  if (way.unit == Unit::element) return move;
  return in_units(std::move(move), element_bytes(precision), unit_bytes(precision, way.unit));
}

std::string IdentityWay::text() const {
  return std::to_string(length)
      .append(unit == Unit::word ? ".words" : "")
      .append(side == Side::result ? ".result" : "");
}

std::vector<IdentityWay> identity_ways(const Copy& shape, Precision precision) {
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
  return batch_of(moved(shape, precision, way), precision, way.unit);
}

bool is_as_aligned_as_it_looks(const IdentityBatch& batch) {
  const IdentityFactor& source = batch.source_first ? batch.first : batch.second;
  const auto fits = [&](std::int64_t ld) {
    return batch.alignment_bytes >= std::gcd(std::int64_t{16}, ld * bytes_of(batch.type));
  };
  return fits(source.ld) && fits(batch.ld_result);
}

LtBatch::LtBatch(const IdentityBatch& batch) : alignment_bytes_(batch.alignment_bytes) {
  cublasLtMatmulDesc_t created = nullptr;
  check(cublasLtMatmulDescCreate(&created, batch.compute, batch.scale), "cublasLtMatmulDescCreate");
  operation_.reset(created);
  const auto turn = [&](cublasLtMatmulDescAttributes_t attribute, bool transposed) {
    const cublasOperation_t value = operation(transposed);
    check(cublasLtMatmulDescSetAttribute(created, attribute, &value, sizeof value),
          "cublasLtMatmulDescSetAttribute");
  };
  turn(CUBLASLT_MATMUL_DESC_TRANSA, batch.first.transposed);
  turn(CUBLASLT_MATMUL_DESC_TRANSB, batch.second.transposed);
  first_.reset(layout(batch, batch.first, batch.m, batch.k));
  second_.reset(layout(batch, batch.second, batch.k, batch.n));
  result_.reset(layout(batch, batch.m, batch.n, batch.ld_result));
}

}  // namespace benanza::cublas
