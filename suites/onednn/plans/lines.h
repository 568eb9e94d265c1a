#pragma once

#include "suites/onednn/ways/attempt.h"

/// Normalizations of lines as those of images one pixel wide, and of rows as those of one image
/// with a row per pixel: for lines and rows the library has slow code alone.
namespace benanza::onednn {

/// Unchanged if they are no lines.
inline Dims line_as_image(Dims dims) {
  constexpr std::size_t axes_of_line = 3;
  if (dims.size() == axes_of_line) dims.push_back(1);
  return dims;
}

/// The argument of a call that may describe the tensor `dims` by line_as_image(dims).
inline Argument line_argument(int id, const Dims& dims, const VariantContext& context) {
  return {.id = id, .values = floats(dims), .seen_as = context.tensor(dims)};
}

inline bool are_rows(const Dims& dims) { return dims.size() == 2; }

/// One image, channels last, of n x c rows.
inline Dims rows_as_image(const Dims& rows) { return {1, rows[1], rows[0], 1}; }

inline Memory::desc format_of_rows(const Dims& rows, const VariantContext& context) {
  return VariantContext(context.engine(), context.precision(), Layout::nhwc)
      .tensor(rows_as_image(rows));
}

inline Argument rows_argument(int id, const Dims& rows) {
  return {id, floats(rows_as_image(rows), {rows[0] * rows[1], 1, rows[1], rows[1]})};
}

}  // namespace benanza::onednn
