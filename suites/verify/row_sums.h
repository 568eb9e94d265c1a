#pragma once

#include <array>
#include <cstddef>

/// Sums of products with the widest vectors of this CPU, because recurrent networks compute whole
/// sequences step by step.
namespace benanza::verify {

/// The sums of a product of weights with a vector: values in double; in float, because they only
/// bound errors, magnitudes and squares of the errors of the vector's elements.
struct RowSums {
  double value = 0;
  float magnitude = 0;
  float error = 0;
  float carried = 0;
};

/// A vector, element by element: values, magnitudes and squared errors. The floats are small enough
/// that their sums do not overflow.
struct Factors {
  const double* value;
  const float* size;
  const float* error;
  const float* carried;
};

/// Computes sums[i] = weights . x[i] of `count` vectors of `size` elements.
void row_sums(const float* weights, const Factors* x, std::size_t count, std::size_t size,
              RowSums* sums);

/// The number of vectors, or rows, processed together.
inline constexpr std::size_t together = 4;

/// Computes weights . x of several vectors of `size` elements without errors.
std::array<RowSums, together> exact_sums(const float* weights,
                                         const std::array<const float*, together>& x,
                                         std::size_t size);

/// The sums of several columns, each as in RowSums.
struct ColumnParts {
  double* value;
  float* magnitude;
  float* error;
  float* carried;
};

/// Adds the products of `count` rows, at most `together`, `stride` elements apart, with their
/// elements x[0] to x[count - 1] to every column in [begin, end).
void add_rows(const float* weights, std::size_t stride, const Factors& x, std::size_t count,
              const ColumnParts& sums, std::size_t begin, std::size_t end);

}  // namespace benanza::verify
