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

[[gnu::always_inline]] inline void add_columns(const float* weights, const RowSums& x,
                                               const ColumnParts& sums, std::size_t begin,
                                               std::size_t end) {
  double* __restrict value = sums.value;
  double* __restrict magnitude = sums.magnitude;
  double* __restrict error = sums.error;
  double* __restrict carried = sums.carried;
  for (std::size_t column = begin; column < end; ++column) {
    const double weight = weights[column];
    const double term = weight * x.value;
    value[column] += term;
    magnitude[column] += std::abs(term);
    error[column] += weight * weight * x.error;
    carried[column] += weight * weight * x.carried;
  }
}

struct Functions {
  RowSums (*row)(const float*, const VectorParts&, std::size_t);
  void (*columns)(const float*, const RowSums&, const ColumnParts&, std::size_t, std::size_t);
};

RowSums row_anywhere(const float* weights, const VectorParts& x, std::size_t size) {
  return sum_row(weights, x, size);
}
void columns_anywhere(const float* weights, const RowSums& x, const ColumnParts& sums,
                      std::size_t begin, std::size_t end) {
  add_columns(weights, x, sums, begin, end);
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] RowSums row_avx2(const float* weights, const VectorParts& x,
                                             std::size_t size) {
  return sum_row(weights, x, size);
}
[[gnu::target("avx2,fma")]] void columns_avx2(const float* weights, const RowSums& x,
                                              const ColumnParts& sums, std::size_t begin,
                                              std::size_t end) {
  add_columns(weights, x, sums, begin, end);
}
[[gnu::target("avx512f")]] RowSums row_avx512(const float* weights, const VectorParts& x,
                                              std::size_t size) {
  return sum_row(weights, x, size);
}
[[gnu::target("avx512f")]] void columns_avx512(const float* weights, const RowSums& x,
                                               const ColumnParts& sums, std::size_t begin,
                                               std::size_t end) {
  add_columns(weights, x, sums, begin, end);
}

Functions best_here() {
  if (__builtin_cpu_supports("avx512f")) return {row_avx512, columns_avx512};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return {row_avx2, columns_avx2};
  }
  return {row_anywhere, columns_anywhere};
}
#else
Functions best_here() { return {row_anywhere, columns_anywhere}; }
#endif

const Functions& functions() {
  static const Functions found = best_here();
  return found;
}

}  // namespace

RowSums row_sums(const float* weights, const VectorParts& x, std::size_t size) {
  return functions().row(weights, x, size);
}

void add_row(const float* weights, const RowSums& x, const ColumnParts& sums, std::size_t begin,
             std::size_t end) {
  functions().columns(weights, x, sums, begin, end);
}

}  // namespace benanza::verify
