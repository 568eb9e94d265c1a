#include "suites/cudnn/graph/elementwise.h"

#include <numeric>

namespace benanza::cudnn {

nvidia::TensorFormat innermost_as_channels(Precision precision, Dims dims) {
  constexpr std::size_t least_axes = 4;
  Dims ordered{1, 1};
  if (!dims.empty()) {
    ordered[1] = dims.back();
    dims.pop_back();
  }
  if (!dims.empty()) {
    ordered[0] = dims.front();
    ordered.insert(ordered.end(), dims.begin() + 1, dims.end());
  }
  while (ordered.size() < least_axes) ordered.push_back(1);
  return nvidia::tensor_format(precision, ordered, Layout::nhwc);
}

Dims as_matrix(std::int64_t count) {
  constexpr std::int64_t widest = 128;
  constexpr std::int64_t tile = 64;
  constexpr std::int64_t most_tiles = 65'535;
  std::int64_t columns = std::gcd(count, widest);
  if (columns < tile) {
    for (columns = widest; count % columns != 0;) --columns;
  }
  if (columns == 1 && count <= most_tiles * tile) return {1, count};
  return {count / columns, columns};
}

}  // namespace benanza::cudnn
