#pragma once

#include <cstddef>

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

/// weights . x, of `size` elements: with the widest vectors that this processor has, as whole
/// sequences of recurrent networks are followed step by step.
RowSums row_sums(const float* weights, const VectorParts& x, std::size_t size);

/// The sums of several columns, each as in RowSums.
struct ColumnParts {
  double* value;
  double* magnitude;
  double* error;
  double* carried;
};

/// Adds weights[column] * x to every column in [begin, end). Of x, error and carried are squares.
void add_row(const float* weights, const RowSums& x, const ColumnParts& sums, std::size_t begin,
             std::size_t end);

}  // namespace benanza::verify
