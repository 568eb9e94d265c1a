#pragma once

#include <optional>
#include <vector>

#include "generator/fusion/whole/cone.h"

namespace benanza::fusion {

/// Numbers of a tensor seen as rows: `rows` and `columns` are the sample's, or 1 where all are
/// equal.
struct Table {
  std::size_t rows = 1;
  std::size_t columns = 1;
  std::vector<double> values;

  double at(std::size_t row, std::size_t column) const {
    return values[(rows == 1 ? 0 : row) * columns + (columns == 1 ? 0 : column)];
  }
};

/// What a cone makes of a sample x.
struct Evaluated {
  Table result;
  /// The product of the extents that the cone reduces, the last axes of x; 0 if it reduces none.
  std::int64_t length = 0;
  /// Constants of one value per column, in the order of the calls that read them: how they are
  /// read, and the sample's numbers for them.
  std::vector<Read> vectors;
  std::vector<Table> vector_values;
  /// All constants of one element.
  std::vector<double> numbers;
};

/// Computes the cone on a sample of a few numbers: for what it is, not for its extents. Empty where
/// it reads constants whose values are not known, or reduces other axes than the last ones.
std::optional<Evaluated> evaluate(const Flow& flow, const Cone& cone, const Table& x);

}  // namespace benanza::fusion
