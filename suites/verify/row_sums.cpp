#include "suites/verify/row_sums.h"

#include <cmath>
#include <cstdint>
#include <cstring>

namespace benanza::verify {
namespace {

// The width of an AVX-512 register; elsewhere the compiler uses several registers.
constexpr std::size_t lanes = 16;
constexpr std::size_t half = lanes / 2;
using Floats [[gnu::vector_size(lanes * sizeof(float))]] = float;
using Bits [[gnu::vector_size(lanes * sizeof(float))]] = std::int32_t;
using HalfFloats [[gnu::vector_size(half * sizeof(float))]] = float;
using Doubles [[gnu::vector_size(half * sizeof(double))]] = double;

// All of these are inlined into functions for several instruction sets.
template <class Vector, class Value>
[[gnu::always_inline]] inline void load(Vector& vector, const Value* values) {
  std::memcpy(&vector, values, sizeof vector);
}

[[gnu::always_inline]] inline void load_doubles(Doubles& vector, const float* values) {
  HalfFloats narrow;
  load(narrow, values);
  vector = __builtin_convertvector(narrow, Doubles);
}

[[gnu::always_inline]] inline void make_absolute(Floats& vector) {
  constexpr std::int32_t all_but_sign = 0x7FFFFFFF;
  Bits bits;
  std::memcpy(&bits, &vector, sizeof bits);
  bits &= all_but_sign;
  std::memcpy(&vector, &bits, sizeof vector);
}

template <class Value, class Vector>
[[gnu::always_inline]] inline void add_lanes(Value& sum, const Vector& vector) {
  for (std::size_t lane = 0; lane < sizeof vector / sizeof(Value); ++lane) sum += vector[lane];
}

/// A run of weights.
struct WeightLanes {
  Doubles low;
  Doubles high;
  Floats size;
};

[[gnu::always_inline]] inline void load_weights(WeightLanes& lanes_of, const float* weights) {
  load_doubles(lanes_of.low, weights);
  load_doubles(lanes_of.high, weights + half);
  load(lanes_of.size, weights);
  make_absolute(lanes_of.size);
}

/// Lane by lane.
struct VectorSums {
  Doubles low{};
  Doubles high{};
  Floats magnitude{};
  Floats error{};
  Floats carried{};
};

template <std::size_t count>
[[gnu::always_inline]] inline void sum_rows(const float* weights, const Factors* x,
                                            std::size_t size, RowSums* sums) {
  std::array<VectorSums, count> all{};
  const std::size_t whole = size / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes) {
    WeightLanes w;
    load_weights(w, weights + i);
    const Floats squares = w.size * w.size;
    for (std::size_t vector = 0; vector < count; ++vector) {
      Doubles x_low;
      Doubles x_high;
      Floats x_size;
      Floats x_error;
      Floats x_carried;
      load(x_low, x[vector].value + i);
      load(x_high, x[vector].value + i + half);
      load(x_size, x[vector].size + i);
      load(x_error, x[vector].error + i);
      load(x_carried, x[vector].carried + i);
      all[vector].low += w.low * x_low;
      all[vector].high += w.high * x_high;
      all[vector].magnitude += w.size * x_size;
      all[vector].error += squares * x_error;
      all[vector].carried += squares * x_carried;
    }
  }
  for (std::size_t vector = 0; vector < count; ++vector) {
    RowSums& sum = sums[vector] = {};
    for (std::size_t i = whole; i < size; ++i) {
      const float square = weights[i] * weights[i];
      sum.value += static_cast<double>(weights[i]) * x[vector].value[i];
      sum.magnitude += std::abs(weights[i]) * x[vector].size[i];
      sum.error += square * x[vector].error[i];
      sum.carried += square * x[vector].carried[i];
    }
    add_lanes(sum.value, all[vector].low);
    add_lanes(sum.value, all[vector].high);
    add_lanes(sum.magnitude, all[vector].magnitude);
    add_lanes(sum.error, all[vector].error);
    add_lanes(sum.carried, all[vector].carried);
  }
}

[[gnu::always_inline]] inline void sum_all_rows(const float* weights, const Factors* x,
                                                std::size_t count, std::size_t size,
                                                RowSums* sums) {
  for (; count >= 2; count -= 2, x += 2, sums += 2) sum_rows<2>(weights, x, size, sums);
  if (count == 1) sum_rows<1>(weights, x, size, sums);
}

[[gnu::always_inline]] inline std::array<RowSums, together> sum_exact(
    const float* weights, const std::array<const float*, together>& x, std::size_t size) {
  std::array<VectorSums, together> all{};
  const std::size_t whole = size / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes) {
    WeightLanes w;
    load_weights(w, weights + i);
    for (std::size_t vector = 0; vector < together; ++vector) {
      Doubles x_low;
      Doubles x_high;
      Floats x_size;
      load_doubles(x_low, x[vector] + i);
      load_doubles(x_high, x[vector] + i + half);
      load(x_size, x[vector] + i);
      make_absolute(x_size);
      all[vector].low += w.low * x_low;
      all[vector].high += w.high * x_high;
      all[vector].magnitude += w.size * x_size;
    }
  }
  std::array<RowSums, together> sums;
  for (std::size_t vector = 0; vector < together; ++vector) {
    RowSums& sum = sums[vector];
    for (std::size_t i = whole; i < size; ++i) {
      sum.value += static_cast<double>(weights[i]) * static_cast<double>(x[vector][i]);
      sum.magnitude += std::abs(weights[i] * x[vector][i]);
    }
    add_lanes(sum.value, all[vector].low);
    add_lanes(sum.value, all[vector].high);
    add_lanes(sum.magnitude, all[vector].magnitude);
  }
  return sums;
}

/// Adds all rows in one pass, because reading and writing the sums takes longer than the products.
template <std::size_t count>
[[gnu::always_inline]] inline void add_some_rows(const float* weights, std::size_t stride,
                                                 const Factors& x, const ColumnParts& sums,
                                                 std::size_t begin, std::size_t end) {
  std::size_t column = begin;
  for (; column + lanes <= end; column += lanes) {
    VectorSums all;
    load(all.low, sums.value + column);
    load(all.high, sums.value + column + half);
    load(all.magnitude, sums.magnitude + column);
    load(all.error, sums.error + column);
    load(all.carried, sums.carried + column);
    for (std::size_t row = 0; row < count; ++row) {
      WeightLanes w;
      load_weights(w, weights + row * stride + column);
      const Floats squares = w.size * w.size;
      all.low += w.low * x.value[row];
      all.high += w.high * x.value[row];
      all.magnitude += w.size * x.size[row];
      all.error += squares * x.error[row];
      all.carried += squares * x.carried[row];
    }
    std::memcpy(sums.value + column, &all.low, sizeof all.low);
    std::memcpy(sums.value + column + half, &all.high, sizeof all.high);
    std::memcpy(sums.magnitude + column, &all.magnitude, sizeof all.magnitude);
    std::memcpy(sums.error + column, &all.error, sizeof all.error);
    std::memcpy(sums.carried + column, &all.carried, sizeof all.carried);
  }
  for (; column < end; ++column) {
    for (std::size_t row = 0; row < count; ++row) {
      const float weight = weights[row * stride + column];
      sums.value[column] += static_cast<double>(weight) * x.value[row];
      sums.magnitude[column] += std::abs(weight) * x.size[row];
      sums.error[column] += weight * weight * x.error[row];
      sums.carried[column] += weight * weight * x.carried[row];
    }
  }
}

[[gnu::always_inline]] inline void add_columns(const float* weights, std::size_t stride,
                                               const Factors& x, std::size_t count,
                                               const ColumnParts& sums, std::size_t begin,
                                               std::size_t end) {
  if (count == together) {
    add_some_rows<together>(weights, stride, x, sums, begin, end);
    return;
  }
  for (std::size_t row = 0; row < count; ++row) {
    add_some_rows<1>(weights + row * stride, stride,
                     {x.value + row, x.size + row, x.error + row, x.carried + row}, sums, begin,
                     end);
  }
}

struct Functions {
  decltype(&row_sums) row;
  decltype(&exact_sums) exact;
  decltype(&add_rows) columns;
};

void row_anywhere(const float* weights, const Factors* x, std::size_t count, std::size_t size,
                  RowSums* sums) {
  sum_all_rows(weights, x, count, size, sums);
}
std::array<RowSums, together> exact_anywhere(const float* weights,
                                             const std::array<const float*, together>& x,
                                             std::size_t size) {
  return sum_exact(weights, x, size);
}
void columns_anywhere(const float* weights, std::size_t stride, const Factors& x, std::size_t count,
                      const ColumnParts& sums, std::size_t begin, std::size_t end) {
  add_columns(weights, stride, x, count, sums, begin, end);
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void row_avx2(const float* weights, const Factors* x, std::size_t count,
                                          std::size_t size, RowSums* sums) {
  sum_all_rows(weights, x, count, size, sums);
}
[[gnu::target("avx2,fma")]] std::array<RowSums, together> exact_avx2(
    const float* weights, const std::array<const float*, together>& x, std::size_t size) {
  return sum_exact(weights, x, size);
}
[[gnu::target("avx2,fma")]] void columns_avx2(const float* weights, std::size_t stride,
                                              const Factors& x, std::size_t count,
                                              const ColumnParts& sums, std::size_t begin,
                                              std::size_t end) {
  add_columns(weights, stride, x, count, sums, begin, end);
}
[[gnu::target("avx512f")]] void row_avx512(const float* weights, const Factors* x,
                                           std::size_t count, std::size_t size, RowSums* sums) {
  sum_all_rows(weights, x, count, size, sums);
}
[[gnu::target("avx512f")]] std::array<RowSums, together> exact_avx512(
    const float* weights, const std::array<const float*, together>& x, std::size_t size) {
  return sum_exact(weights, x, size);
}
[[gnu::target("avx512f")]] void columns_avx512(const float* weights, std::size_t stride,
                                               const Factors& x, std::size_t count,
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

void row_sums(const float* weights, const Factors* x, std::size_t count, std::size_t size,
              RowSums* sums) {
  functions().row(weights, x, count, size, sums);
}

std::array<RowSums, together> exact_sums(const float* weights,
                                         const std::array<const float*, together>& x,
                                         std::size_t size) {
  return functions().exact(weights, x, size);
}

void add_rows(const float* weights, std::size_t stride, const Factors& x, std::size_t count,
              const ColumnParts& sums, std::size_t begin, std::size_t end) {
  functions().columns(weights, stride, x, count, sums, begin, end);
}

}  // namespace benanza::verify
