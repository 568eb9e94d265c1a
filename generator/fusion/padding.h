#pragma once

#include <optional>
#include <vector>

#include "core/graph_file/graph.h"
#include "generator/lowered/lowered.h"

namespace benanza::fusion {

/// A problem with extents that fast kernels like, and what copies its operand and result into and
/// out of the larger tensors. Weights and bias are padded when the model is loaded.
struct Padded {
  Problem problem;
  std::vector<Problem> copies;
};

/// Pads the columns and the summed extent of a product with weights, or the channels and filters of
/// a convolution without groups, with zeros: to multiples of 8 up to 16, of 64 if they are above
/// 512 and no multiples of 8, otherwise of 16. A convolution's copies are those of channels last.
/// Empty if nothing is to be padded, or if the problem reads further tensors that change.
std::optional<Padded> padded(const Problem& problem);

/// The padded ways to do a layer of one problem, "padded", and to do fusions of one problem,
/// "padded_<pattern>".
std::vector<Fusion> paddings(const std::vector<LoweredLayer>& layers,
                             const std::vector<Fusion>& fusions);

}  // namespace benanza::fusion
