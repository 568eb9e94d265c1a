#include "generator/onnx/operators/shared/scales.h"

#include "generator/onnx/model/checked_math.h"

namespace benanza::onnx {
namespace {

/// Empty if scales are no such ones.
Dims rows_of_blocks(const NodeView& node, const Dims& dims) {
  const std::int64_t block = node.integer("block_size", 0);
  if (block < 1 || dims.empty() || dims.back() % block != 0) return {};
  if (NodeView::axis(node.integer("axis", 1), dims.size()) != std::ssize(dims) - 1) return {};
  Dims blocks = dims;
  blocks.back() /= block;
  if (node.shape(1) != blocks) return {};
  return {element_count(blocks), block};
}

}  // namespace

std::int64_t scale_axis(const NodeView& node, const Dims& dims) {
  if (element_count(node.shape(1)) == 1) return -1;
  const std::int64_t axis = NodeView::axis(node.integer("axis", 1), dims.size());
  if (node.shape(1) != Dims{dims[static_cast<std::size_t>(axis)]}) {
    throw NotExpressible("scales of blocks");
  }
  return axis;
}

Quantization quantization(const NodeView& node, QuantizationKind kind, bool fp8) {
  const Dims dims = node.extents(0);
  Dims rows = rows_of_blocks(node, dims);
  if (!rows.empty()) return {.kind = kind, .input = std::move(rows), .axis = 0, .fp8 = fp8};
  return {.kind = kind, .input = dims, .axis = scale_axis(node, dims), .fp8 = fp8};
}

}  // namespace benanza::onnx
