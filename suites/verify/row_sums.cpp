#include "suites/verify/row_sums.h"

#include <array>
#include <cmath>

namespace benanza::verify {
namespace {

// As many independent sums as fill the registers of AVX-512.
constexpr std::size_t lanes = 16;

// Inlined into functions for several instruction sets: the compiler vectorizes each for its own.
[[gnu::always_inline]] inline RowSums sum_row(const float* weights, const VectorParts& x,
                                              std::size_t size) {
  std::array<double, lanes> value{};
  std::array<double, lanes> magnitude{};
  std::array<double, lanes> error{};
  std::array<double, lanes> carried{};
  const std::size_t whole = size / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const double weight = weights[i + lane];
      const double term = weight * x.value[i + lane];
      value[lane] += term;
      magnitude[lane] += std::abs(term);
      const double rounded = weight * x.magnitude[i + lane];
      error[lane] += rounded * rounded;
      const double stored = weight * x.stored[i + lane];
      carried[lane] += stored * stored;
    }
  }
  RowSums sums;
  for (std::size_t i = whole; i < size; ++i) {
    const double weight = weights[i];
    sums.value += weight * x.value[i];
    sums.magnitude += std::abs(weight * x.value[i]);
    sums.error += weight * x.magnitude[i] * weight * x.magnitude[i];
    sums.carried += weight * x.stored[i] * weight * x.stored[i];
  }
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    sums.value += value[lane];
    sums.magnitude += magnitude[lane];
    sums.error += error[lane];
    sums.carried += carried[lane];
  }
  return sums;
}

[[gnu::always_inline]] inline std::array<RowSums, together> sum_exact(
    const float* weights, const std::array<const float*, together>& x, std::size_t size) {
  // Two sums of each vector fill as many registers as hide an addition's latency.
  constexpr std::size_t narrow = 8;
  std::array<std::array<double, narrow>, together> value{};
  std::array<std::array<double, narrow>, together> magnitude{};
  const std::size_t whole = size / narrow * narrow;
  for (std::size_t i = 0; i < whole; i += narrow) {
    for (std::size_t vector = 0; vector < together; ++vector) {
      for (std::size_t lane = 0; lane < narrow; ++lane) {
        // Exact: the product of two floats is a double.
        const double term =
            static_cast<double>(weights[i + lane]) * static_cast<double>(x[vector][i + lane]);
        value[vector][lane] += term;
        magnitude[vector][lane] += std::abs(term);
      }
    }
  }
  std::array<RowSums, together> sums;
  for (std::size_t vector = 0; vector < together; ++vector) {
    for (std::size_t i = whole; i < size; ++i) {
      const double term = static_cast<double>(weights[i]) * static_cast<double>(x[vector][i]);
      sums[vector].value += term;
      sums[vector].magnitude += std::abs(term);
    }
    for (std::size_t lane = 0; lane < narrow; ++lane) {
      sums[vector].value += value[vector][lane];
      sums[vector].magnitude += magnitude[vector][lane];
    }
  }
  return sums;
}

/// One pass over the sums for all rows: reading and writing them takes longer than the products.
template <std::size_t count>
[[gnu::always_inline]] inline void add_some_rows(const float* weights, std::size_t stride,
                                                 const RowElements& x, const ColumnParts& sums,
                                                 std::size_t begin, std::size_t end) {
  double* __restrict value = sums.value;
  double* __restrict magnitude = sums.magnitude;
  double* __restrict error = sums.error;
  double* __restrict carried = sums.carried;
  for (std::size_t column = begin; column < end; ++column) {
    double all = value[column];
    double sizes = magnitude[column];
    double errors = error[column];
    double stored = carried[column];
    for (std::size_t row = 0; row < count; ++row) {
      const double weight = weights[row * stride + column];
      const double term = weight * x[row].value;
      all += term;
      sizes += std::abs(term);
      errors += weight * weight * x[row].error;
      stored += weight * weight * x[row].carried;
    }
    value[column] = all;
    magnitude[column] = sizes;
    error[column] = errors;
    carried[column] = stored;
  }
}

[[gnu::always_inline]] inline void add_columns(const float* weights, std::size_t stride,
                                               const RowElements& x, std::size_t count,
                                               const ColumnParts& sums, std::size_t begin,
                                               std::size_t end) {
  if (count == together) {
    add_some_rows<together>(weights, stride, x, sums, begin, end);
    return;
  }
  for (std::size_t row = 0; row < count; ++row) {
    add_some_rows<1>(weights + row * stride, stride, {x[row]}, sums, begin, end);
  }
}

struct Functions {
  decltype(&row_sums) row;
  decltype(&exact_sums) exact;
  decltype(&add_rows) columns;
};

RowSums row_anywhere(const float* weights, const VectorParts& x, std::size_t size) {
  return sum_row(weights, x, size);
}
std::array<RowSums, together> exact_anywhere(const float* weights,
                                             const std::array<const float*, together>& x,
                                             std::size_t size) {
  return sum_exact(weights, x, size);
}
void columns_anywhere(const float* weights, std::size_t stride, const RowElements& x,
                      std::size_t count, const ColumnParts& sums, std::size_t begin,
                      std::size_t end) {
  add_columns(weights, stride, x, count, sums, begin, end);
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] RowSums row_avx2(const float* weights, const VectorParts& x,
                                             std::size_t size) {
  return sum_row(weights, x, size);
}
[[gnu::target("avx2,fma")]] std::array<RowSums, together> exact_avx2(
    const float* weights, const std::array<const float*, together>& x, std::size_t size) {
  return sum_exact(weights, x, size);
}
[[gnu::target("avx2,fma")]] void columns_avx2(const float* weights, std::size_t stride,
                                              const RowElements& x, std::size_t count,
                                              const ColumnParts& sums, std::size_t begin,
                                              std::size_t end) {
  add_columns(weights, stride, x, count, sums, begin, end);
}
[[gnu::target("avx512f")]] RowSums row_avx512(const float* weights, const VectorParts& x,
                                              std::size_t size) {
  return sum_row(weights, x, size);
}
[[gnu::target("avx512f")]] std::array<RowSums, together> exact_avx512(
    const float* weights, const std::array<const float*, together>& x, std::size_t size) {
  return sum_exact(weights, x, size);
}
[[gnu::target("avx512f")]] void columns_avx512(const float* weights, std::size_t stride,
                                               const RowElements& x, std::size_t count,
                                               const ColumnParts& sums, std::size_t begin,
                                               std::size_t end) {
  add_columns(weights, stride, x, count, sums, begin, end);
}

Functions best_here() {
  if (__builtin_cpu_supports("avx512f")) return {row_avx512, exact_avx512, columns_avx512};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return {row_avx2, exact_avx2, columns_avx2};
  }
  return {row_anywhere, exact_anywhere, columns_anywhere};
}
#else
Functions best_here() { return {row_anywhere, exact_anywhere, columns_anywhere}; }
#endif

const Functions& functions() {
  static const Functions found = best_here();
  return found;
}

}  // namespace

RowSums row_sums(const float* weights, const VectorParts& x, std::size_t size) {
  return functions().row(weights, x, size);
}

std::array<RowSums, together> exact_sums(const float* weights,
                                         const std::array<const float*, together>& x,
                                         std::size_t size) {
  return functions().exact(weights, x, size);
}

void add_rows(const float* weights, std::size_t stride, const RowElements& x, std::size_t count,
              const ColumnParts& sums, std::size_t begin, std::size_t end) {
  functions().columns(weights, stride, x, count, sums, begin, end);
}

}  // namespace benanza::verify
