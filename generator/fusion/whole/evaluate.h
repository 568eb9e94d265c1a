#pragma once

#include <optional>
#include <vector>

#include "generator/fusion/whole/cone.h"

namespace benanza::fusion {

/// The values of a tensor as a matrix: `rows` and `columns` are the sample's, or 1 if all are
/// equal.
struct Table {
  std::size_t rows = 1;
  std::size_t columns = 1;
  std::vector<double> values;

  double at(std::size_t row, std::size_t column) const {
    return values[(rows == 1 ? 0 : row) * columns + (columns == 1 ? 0 : column)];
  }
};

/// The result of a cone for a sample x.
struct Evaluated {
  Table result;
  /// The product of the extents that the cone reduces (the last axes of x); 0 if it reduces none.
  std::int64_t length = 0;
  /// Constants with one value per column, in the order of the calls that read them: where they are
  /// read from, and the sample values used for them.
  std::vector<Read> vectors;
  std::vector<Table> vector_values;
  /// The values of all one-element constants.
  std::vector<double> numbers;
};

/// Evaluates the cone on a small sample, independent of the tensor's real extents. Empty if the
/// cone reads constants whose values are unknown, or reduces other axes than the last ones.
std::optional<Evaluated> evaluate(const Flow& flow, const Cone& cone, const Table& x);

}  // namespace benanza::fusion
