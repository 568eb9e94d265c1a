#include "analysis/profile_match/signature.h"

#include <algorithm>
#include <charconv>
#include <exception>
#include <system_error>

#include "core/problem/problem.h"

namespace benanza::analysis {
namespace {

std::string of(const Gemm& gemm) {
  std::int64_t rows = gemm.m;
  std::int64_t products = element_count(gemm.batch());
  if (element_count(gemm.batch_b) == 1) {  // shared matrix: one product with more rows
    rows *= products;
    products = 1;
  }
  return "gemm " + join({products, rows, gemm.n, gemm.k}, 'x');
}

/// The number after "gemm" and each 'x'; empty for other signatures.
Dims extents_of_product(std::string_view signature) {
  constexpr std::string_view name = "gemm ";
  Dims extents;
  if (!signature.starts_with(name)) return extents;
  const char* const end = signature.data() + signature.size();
  for (const char* at = signature.data() + name.size(); at < end;) {
    std::int64_t extent = 0;
    const auto [next, error] = std::from_chars(at, end, extent);
    if (error != std::errc()) return {};
    extents.push_back(extent);
    at = next == end ? end : next + 1;
  }
  return extents;
}

std::string text_without_leading_ones(const Dims& dims) {
  const auto first = std::ranges::find_if(dims, [](auto extent) { return extent != 1; });
  return join(Dims(first, dims.end()), 'x');
}

std::string of(const Binary& binary) {
  std::string a = text_without_leading_ones(binary.a);
  std::string b = text_without_leading_ones(binary.b);
  const bool ordered = binary.kind == BinaryKind::sub || binary.kind == BinaryKind::div ||
                       binary.kind == BinaryKind::prelu;
  if (!ordered && b < a) std::swap(a, b);
  return std::string(binary.op()) + ' ' + a + ' ' + b;
}

std::string mean_over_pixels(const Dims& input) { return "mean " + join(input, 'x'); }

std::string of(const Pooling& pooling) {
  const bool all = pooling.mode != PoolingMode::max && !pooling.window.has_padding() &&
                   pooling.window.kernel == spatial(pooling.input);
  return all ? mean_over_pixels(pooling.input) : "";
}

std::string of(const Reduction& reduction) {
  Dims pixels;
  for (std::size_t axis = 2; axis < reduction.input.size(); ++axis) {
    pixels.push_back(static_cast<std::int64_t>(axis));
  }
  const bool all =
      reduction.kind == ReductionKind::mean && !pixels.empty() && reduction.axes == pixels;
  return all ? mean_over_pixels(reduction.input) : "";
}

/// A profile does not tell who made the keys.
std::string of(Attention attention) {
  attention.new_keys = false;
  return key({.shape = attention, .epilogue = {}});
}

std::string of(AttentionGradient gradient) {
  gradient.forward.new_keys = false;
  return key({.shape = gradient, .epilogue = {}});
}

template <class T>
std::string of(const T&) {
  return "";
}

}  // namespace

std::string signature(std::string_view key) {
  try {
    const Problem problem = parse(key);
    std::string text = std::visit([](const auto& shape) { return of(shape); }, problem.shape);
    if (!text.empty()) return text;
  } catch (const std::exception&) {
    // Keys of another version or invalid keys are only equal to themselves.
  }
  return std::string(key);
}

std::string_view kind_of_operator(std::string_view op) {
  if (const auto dot = op.rfind('.'); dot != op.npos) op.remove_prefix(dot + 1);
  if (op == "Gemm" || op == "FusedMatMul") return "MatMul";
  if (op == "GlobalAveragePool" || op == "ReduceMean") return "AveragePool";
  if (op == "GlobalMaxPool") return "MaxPool";
  if (op == "Sum") return "Add";
  if (op == "SkipLayerNormalization") return "LayerNormalization";
  if (op == "Upsample") return "Resize";
  return op;
}

bool is_padded(std::string_view run, std::string_view asked) {
  const Dims larger = extents_of_product(run);
  const Dims smaller = extents_of_product(asked);
  if (larger.empty() || larger.size() != smaller.size() || larger[0] != smaller[0]) return false;
  const auto fits = [](std::int64_t run_extent, std::int64_t extent) {
    const auto rounded_up = [&](std::int64_t step) { return (extent + step - 1) / step * step; };
    return run_extent == extent || run_extent == rounded_up(4) || run_extent == rounded_up(8);
  };
  return std::ranges::equal(larger, smaller, fits);
}

}  // namespace benanza::analysis
