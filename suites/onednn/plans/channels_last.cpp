#include "suites/onednn/plans/channels_last.h"

#include <algorithm>
#include <cstddef>

namespace benanza::onednn {
namespace {

/// Transposes each of `outer` matrices of rows x columns.
std::vector<float> transposed(std::span<const float> values, std::size_t outer, std::size_t rows,
                              std::size_t columns) {
  std::vector<float> result(values.size());
  for (std::size_t matrix = 0; matrix < outer; ++matrix) {
    const std::size_t base = matrix * rows * columns;
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < columns; ++column) {
        result[base + column * rows + row] = values[base + row * columns + column];
      }
    }
  }
  return result;
}

struct Extents {
  std::size_t images;
  std::size_t channels;
  std::size_t pixels;

  explicit Extents(const Dims& dims)
      : images(static_cast<std::size_t>(dims[0])),
        channels(static_cast<std::size_t>(dims[1])),
        pixels(static_cast<std::size_t>(element_count(dims)) / (images * channels)) {}
};

}  // namespace

Dims last_channels(const Dims& dims) {
  Dims moved = dims;
  std::rotate(moved.begin() + 1, moved.begin() + 2, moved.end());
  return moved;
}

Rearrange channels_to_the_end(const Dims& dims) {
  return [extents = Extents(dims)](std::span<const float> values) {
    return transposed(values, extents.images, extents.channels, extents.pixels);
  };
}

}  // namespace benanza::onednn
