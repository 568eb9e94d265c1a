#pragma once

#include <optional>
#include <vector>

#include "generator/fusion/flow.h"

namespace benanza::fusion {

/// Layers between one tensor, x, and the result of the last of them: they read nothing else but
/// constants, and nobody else reads their inner results.
struct Cone {
  /// Ascending.
  std::vector<std::size_t> layers;
  /// How x is read.
  Read x;
  /// Extents of x.
  Dims dims;
};

/// True if layer `index` only repeats what it reads along some axes: calls read it where it is.
bool repeats(const Flow& flow, std::size_t index);

/// Cones that end at layer `root`, the shortest first; of layers that are functions of elements,
/// reductions or softmax, repeat or pass on what they read. At most `most` layers.
std::vector<Cone> cones_at(const Flow& flow, std::size_t root, std::size_t most);

}  // namespace benanza::fusion
