#pragma once

#include "suites/onednn/ways/attempt.h"

/// Normalizations of lines as those of images one pixel wide: for lines the library has reference
/// code alone, which is up to a hundred times slower.
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

}  // namespace benanza::onednn
