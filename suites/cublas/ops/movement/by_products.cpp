#include "suites/cublas/ops/movement/movement.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>

#include "suites/nvidia/device/tensor_format.h"

// Copies as products with matrices of zeros and ones. Every sum has one term that is not 0, so the
// result is exact unless what is multiplied contains infinities or NaNs: 0 times those is not 0.
namespace benanza::cublas {
namespace {

constexpr std::size_t most_matrices = 1 << 16;
constexpr std::int64_t largest_word_bytes = 8;

template <class Number>
constexpr Number one = 1;
template <class Number>
constexpr Number zero = 0;

/// Not TF32, which would round the elements.
Types exact_types(Precision precision) {
  return types_of(precision == Precision::tf32 ? Precision::fp32 : precision);
}

template <class Number>
std::vector<Number> ones_on_diagonal(std::int64_t side) {
  const auto count = static_cast<std::size_t>(side);
  std::vector<Number> ones(count * count);
  for (std::size_t i = 0; i < count; ++i) ones[i * count + i] = 1;
  return ones;
}

/// Adds the ways of one side and length.
void add_ways(const Copy& shape, Precision precision, Side side, std::int64_t length,
              std::vector<IdentityWay>& found) {
  const BlockMove move = block_move(shape, side, length, most_matrices);
  const std::int64_t size = element_bytes(precision);
  if (size != 2 && move.transposed) {
    throw harness::Unsupported(size == 1
                                   ? "a transposition of 8-bit elements"
                                   : "cublasLtMatrixTransform transposes 32-bit elements faster");
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

}  // namespace

std::vector<std::byte> identity_matrix(Precision precision, Unit unit, std::int64_t side) {
  const auto stored = [](const auto& ones) {
    const auto bytes = std::as_bytes(std::span(ones));
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  };
  if (unit == Unit::word) return stored(ones_on_diagonal<double>(side));
  if (element_bytes(precision) == 1) return stored(ones_on_diagonal<std::int8_t>(side));
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
  const BlockMove move = moved(shape, precision, way);
  const bool is_integer = way.unit == Unit::element && element_bytes(precision) == 1;
  const bool is_turned = move.transposed && move.side == Side::source;
  const ListedFactor source{.transposed = move.transposed, .ld = move.ld_source};
  // cuBLASLt multiplies integers only if the first factor is stored transposed, which an identity
  // matrix always is.
  const ListedFactor ones{.transposed = is_integer, .ld = move.length};
  IdentityBatch batch{{.m = is_turned ? move.count : move.length,
                       .n = is_turned ? move.length : move.count,
                       .k = move.length,
                       .count = static_cast<std::int64_t>(move.sources.size()),
                       .first = is_turned ? source : ones,
                       .second = is_turned ? ones : source,
                       .ld_result = move.ld_result,
                       .alignment_bytes = alignment(move, unit_bytes(precision, way.unit)),
                       .type = is_integer ? CUDA_R_8I : types_of(precision).operand,
                       .compute = is_integer ? CUBLAS_COMPUTE_32I : exact_types(precision).compute,
                       .one = &one<float>,
                       .zero = &zero<float>},
                      is_turned,
                      unit_bytes(precision, way.unit)};
  if (way.unit == Unit::word) {
    batch.type = batch.scale = CUDA_R_64F;
    batch.compute = CUBLAS_COMPUTE_64F;
    batch.one = &one<double>;
    batch.zero = &zero<double>;
  }
  return batch;
}

bool is_as_aligned_as_it_looks(const IdentityBatch& batch) {
  const auto fits = [&](std::int64_t ld) {
    return batch.alignment_bytes >= std::gcd(std::int64_t{16}, ld * batch.unit_bytes);
  };
  return fits((batch.source_first ? batch.first : batch.second).ld) && fits(batch.ld_result);
}

namespace {

/// The matrices of a transposition of 16-bit elements, or of a copy of rows (the transpositions
/// around attention), which calls take as an address for each.
class IdentityMatrices {
 public:
  IdentityMatrices(const Copy& shape, Precision precision, const IdentityWay& way)
      : move_(moved(shape, precision, way)),
        ones_(identity_matrix(precision, way.unit, move_.length)),
        batch_(identity_batch(shape, precision, way)) {}

  void placed(const nvidia::CudaPrimitive& call) {
    const auto list = [&](std::byte* base, const std::vector<std::int64_t>& offsets) {
      lists_.push_back(device_addresses(base, offsets, batch_.unit_bytes, call.stream()));
      return reinterpret_cast<void* const*>(lists_.back().data());
    };
    identity_ = nvidia::DeviceMemory(static_cast<std::int64_t>(ones_.size()));
    identity_.write(ones_, call.stream());
    const std::vector<std::int64_t> same(move_.sources.size(), 0);
    (batch_.source_first ? batch_.second : batch_.first).addresses = list(identity_.data(), same);
    (batch_.source_first ? batch_.first : batch_.second).addresses =
        list(call.input(0), move_.sources);
    batch_.results = list(call.output(), move_.results);
  }
  const IdentityBatch& batch() const { return batch_; }

 private:
  BlockMove move_;
  std::vector<std::byte> ones_;
  IdentityBatch batch_;
  nvidia::DeviceMemory identity_;
  std::vector<nvidia::DeviceMemory> lists_;
};

/// cublasGemmBatchedEx().
class BatchedProduct : public IdentityMatrices {
 public:
  BatchedProduct(Library& library, const Copy& shape, Precision precision, const IdentityWay& way)
      : IdentityMatrices(shape, precision, way), library_(library) {}

  void operator()(const nvidia::CudaPrimitive&) const {
    const IdentityBatch& batch = this->batch();
    check(cublasGemmBatchedEx_64(library_.handle(), operation(batch.first.transposed),
                                 operation(batch.second.transposed), batch.m, batch.n, batch.k,
                                 batch.one, batch.first.addresses, batch.type, batch.first.ld,
                                 batch.second.addresses, batch.type, batch.second.ld, batch.zero,
                                 batch.results, batch.type, batch.ld_result, batch.count,
                                 batch.compute, CUBLAS_GEMM_DEFAULT),
          "cublasGemmBatchedEx");
  }

 private:
  Library& library_;
};

/// "gemm_batched.identity64".
Ways batched_ways(Library& library, const Copy& shape, const harness::Variant& prototype) {
  if (element_bytes(prototype.precision) == 1) {
    throw harness::Unsupported("cublasGemmBatchedEx has no 8-bit result");
  }
  Ways found;
  for (const IdentityWay& way : identity_ways(shape, prototype.precision)) {
    if (!is_as_aligned_as_it_looks(identity_batch(shape, prototype.precision, way))) continue;
    found.push_back(nvidia::way_of(
        library, prototype, "gemm_batched.identity" + way.text(), [=](const Request& request) {
          BatchedProduct calls(request.library, shape, request.variant.precision, way);
          return copy_call_of(request, shape, std::move(calls));
        }));
  }
  if (found.empty()) {
    throw harness::Unsupported(
        "cublasGemmBatchedEx wants matrices that start as aligned as their columns");
  }
  return found;
}

/// Before the rest of a choice's name.
constexpr std::string_view lt_name = "lt.identity";

std::vector<LtChoice> lt_choices(Library& library, const LtBatch& batch) {
  constexpr int listed = 8;
  return heuristics(library.lt(), batch.descriptors(), Precision::int8,
                    library.lt_workspace_bytes(), listed);
}

harness::Algorithm lt_algorithm(const IdentityWay& way, const LtChoice& choice) {
  return std::string(lt_name) + way.text() + '.' + choice.name;
}

/// cublasLtMatmul() of 8-bit integers, which has 8-bit results.
class LtBatchedProduct : public IdentityMatrices {
 public:
  LtBatchedProduct(Library& library, const Copy& shape, const harness::Variant& variant,
                   const IdentityWay& way)
      : IdentityMatrices(shape, variant.precision, way), library_(library), products_(batch()) {
    for (LtChoice& choice : lt_choices(library, products_)) {
      if (lt_algorithm(way, choice) != variant.algorithm) continue;
      choice_ = std::move(choice);
      return;
    }
    throw harness::Unsupported("cuBLASLt does not list " + variant.algorithm + " for this copy");
  }

  std::int64_t workspace_bytes() const { return choice_.workspace_bytes; }

  void operator()(const nvidia::CudaPrimitive& call) const {
    const IdentityBatch& batch = this->batch();
    const LtDescriptors products = products_.descriptors();
    check(cublasLtMatmul(library_.lt(), products.operation, batch.one, batch.first.addresses,
                         products.first, batch.second.addresses, products.second, batch.zero,
                         batch.results, products.residual, const_cast<void**>(batch.results),
                         products.result, &choice_.algorithm, call.workspace(),
                         static_cast<std::size_t>(choice_.workspace_bytes), call.stream()),
          "cublasLtMatmul");
  }

 private:
  Library& library_;
  LtBatch products_;
  LtChoice choice_;
};

harness::Way lt_way(Library& library, const Copy& shape, const harness::Variant& prototype,
                    const IdentityWay& way, harness::Algorithm name) {
  return nvidia::way_of(library, prototype, std::move(name), [=](const Request& request) {
    LtBatchedProduct calls(request.library, shape, request.variant, way);
    const std::int64_t bytes = calls.workspace_bytes();
    return copy_call_of(request, shape, std::move(calls), bytes);
  });
}

/// The first algorithms of the heuristic lists: "lt.identity64.a66.t20.s35.k1.r0.z0.o0.i0.c2". The
/// addresses are null: the list does not depend on them. Of 8-bit elements alone: of longer ones,
/// cublasGemmBatchedEx() took at most 1.04 times as long in 113 copies of today's networks (cuBLAS
/// 13.1, H100).
Ways lt_ways(Library& library, const Copy& shape, const harness::Variant& prototype) {
  const Precision precision = prototype.precision;
  if (element_bytes(precision) != 1) {
    throw harness::Unsupported("cublasGemmBatchedEx moves elements of more than 8 bits");
  }
  std::vector<std::pair<int, harness::Way>> ranked;
  std::string refusal;
  for (const IdentityWay& way : identity_ways(shape, precision)) {
    try {
      const LtBatch batch(identity_batch(shape, precision, way));
      for (const LtChoice& choice : lt_choices(library, batch)) {
        ranked.emplace_back(choice.rank,
                            lt_way(library, shape, prototype, way, lt_algorithm(way, choice)));
      }
    } catch (const harness::EngineLost&) {
      throw;
    } catch (const std::runtime_error& words) {
      // An invalid value, too, means that the library does not do this: the copy's other calls must
      // be listed all the same.
      if (refusal.empty()) refusal = words.what();
    }
  }
  if (ranked.empty()) throw harness::Unsupported(refusal);
  // The first of every size before the second of any.
  std::ranges::stable_sort(ranked, {}, &std::pair<int, harness::Way>::first);
  Ways found;
  for (auto& [rank, way] : ranked) found.push_back(std::move(way));
  return found;
}

std::optional<harness::Way> lt_way_named(Library& library, const Copy& shape,
                                         const harness::Variant& variant) {
  if (!variant.algorithm.starts_with(lt_name)) return std::nullopt;
  for (const IdentityWay& way : identity_ways(shape, variant.precision)) {
    if (variant.algorithm.starts_with(std::string(lt_name) + way.text() + ".a")) {
      return lt_way(library, shape, variant, way, variant.algorithm);
    }
  }
  throw harness::Unsupported("no blocks for " + variant.algorithm);
}

/// Copies that repeat elements, as Expand and the enlargement of images to the nearest pixel do, by
/// cublasGemmStridedBatchedEx().
class Repeated {
 public:
  Repeated(const Request& request, const RepeatProduct& product)
      : library_(request.library),
        product_(product),
        types_(exact_types(request.variant.precision)) {
    const nvidia::TensorFormat ones = nvidia::tensor_format(
        request.variant.precision, {static_cast<std::int64_t>(product.ones.size())}, Layout::plain);
    ones_ = nvidia::DeviceMemory(nvidia::span_bytes(ones));
    ones_.write(nvidia::to_storage(product.ones, ones), request.library.cuda().stream());
  }

  /// BLAS is column-major: it computes the transposed result, with the factors exchanged.
  void operator()(const nvidia::CudaPrimitive& call) const {
    constexpr float alpha = 1;
    constexpr float beta = 0;
    const auto& [side, m, n, k, batches, stride_data, values] = product_;
    const bool columns = side == Repeats::columns;
    const std::byte* first = columns ? ones_.data() : call.input(0);
    const std::byte* second = columns ? call.input(0) : ones_.data();
    check(cublasGemmStridedBatchedEx_64(library_.handle(), CUBLAS_OP_N, CUBLAS_OP_N, n, m, k,
                                        &alpha, first, types_.operand, n, columns ? 0 : stride_data,
                                        second, types_.operand, k, columns ? stride_data : 0, &beta,
                                        call.output(), types_.operand, n, m * n, batches,
                                        types_.compute, CUBLAS_GEMM_DEFAULT),
          "cublasGemmStridedBatchedEx");
  }

 private:
  Library& library_;
  RepeatProduct product_;
  Types types_;
  nvidia::DeviceMemory ones_;
};

Ways repeat_ways(Library& library, const Copy& shape, const harness::Variant& prototype) {
  if (element_bytes(prototype.precision) == 1) {
    throw harness::Unsupported("products that repeat elements have no 8-bit result here");
  }
  Ways found;
  std::string refusal;
  for (const auto& [name, side] : {std::pair{"gemm.repeat_columns", Repeats::columns},
                                   std::pair{"gemm.repeat_rows", Repeats::rows}}) {
    try {
      repeat_product(shape, side);
      found.push_back(
          nvidia::way_of(library, prototype, name, [shape, side = side](const Request& request) {
            return copy_call_of(request, shape, Repeated(request, repeat_product(shape, side)));
          }));
    } catch (const harness::Unsupported& none) {
      if (refusal.empty()) refusal = none.what();
    }
  }
  if (found.empty()) throw harness::Unsupported(refusal);
  return found;
}

}  // namespace

void add_movement_by_products(WayTable& table) {
  auto by_lt = copy_family(lt_ways);
  by_lt.way = lt_way_named;
  table.add(std::move(by_lt));
  table.add(copy_family(batched_ways));
  table.add(copy_family(repeat_ways));
}

}  // namespace benanza::cublas
