#pragma once

#include <array>
#include <cstddef>

/// Sums of products with the widest vectors that this processor has: whole sequences of recurrent
/// networks are followed step by step.
namespace benanza::verify {

/// What a product of weights with a vector adds up: values, their sizes, and the squares of the
/// errors that the vector's elements bring along.
struct RowSums {
  double value = 0;
  double magnitude = 0;
  double error = 0;
  double carried = 0;
};

/// A vector, element by element; `magnitude` and `stored` as in Vector.
struct VectorParts {
  const double* value;
  const double* magnitude;
  const double* stored;
};

/// weights . x, of `size` elements.
RowSums row_sums(const float* weights, const VectorParts& x, std::size_t size);

/// Vectors that are multiplied by the same weights together.
inline constexpr std::size_t together = 4;

/// weights . x of several vectors of `size` elements that bring no errors along.
std::array<RowSums, together> exact_sums(const float* weights,
                                         const std::array<const float*, together>& x,
                                         std::size_t size);

/// The sums of several columns, each as in RowSums.
struct ColumnParts {
  double* value;
  double* magnitude;
  double* error;
  double* carried;
};

/// Elements of a vector that belong to neighbouring rows. Of each, error and carried are squares.
using RowElements = std::array<RowSums, together>;

/// Adds the products of `together` rows, `stride` elements apart, with x to every column in [begin,
/// end). Rows from `count` on are not read.
void add_rows(const float* weights, std::size_t stride, const RowElements& x, std::size_t count,
              const ColumnParts& sums, std::size_t begin, std::size_t end);

}  // namespace benanza::verify
