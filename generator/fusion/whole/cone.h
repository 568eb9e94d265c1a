#pragma once

#include <optional>
#include <vector>

#include "generator/fusion/flow.h"

namespace benanza::fusion {

/// The layers between one tensor, x, and the result of the last layer. They read only x and
/// constants, and nothing else reads their intermediate results.
struct Cone {
  /// In ascending order.
  std::vector<std::size_t> layers;
  /// Where x is read from.
  Read x;
  /// Extents of x.
  Dims dims;
};

/// True if layer `index` only broadcasts its input along some axes; calls read the input in place.
bool repeats(const Flow& flow, std::size_t index);

/// Returns the cones that end at layer `root`, shortest first, made of elementwise functions,
/// reductions, softmax, broadcasts and layers that pass on their input. At most `most` layers.
std::vector<Cone> cones_at(const Flow& flow, std::size_t root, std::size_t most);

}  // namespace benanza::fusion
