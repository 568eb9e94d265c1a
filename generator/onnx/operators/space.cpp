#include "core/base/error.h"
#include "core/problem/ops/copy.h"
#include "generator/onnx/model/node_view.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

/// The schemas' own inference divides by the square of the block size without checking it.
namespace benanza::onnx {
namespace {

constexpr std::int64_t most_block = std::int64_t{1} << 20;

std::int64_t block_of(const NodeView& node) {
  const std::int64_t block = node.integer("blocksize", 0);
  if (node.shape(0).size() != 4 || block < 1 || block > most_block) {
    throw Error("needs four axes and a block of 1 to " + std::to_string(most_block));
  }
  return block;
}

std::vector<TensorFacts> depth_to_space_shape(const NodeView& node) {
  const std::int64_t block = block_of(node);
  const Dims& dims = node.shape(0);
  if (dims[1] % (block * block) != 0) throw Error("the channels do not fill the blocks");
  return {
      {node.input(0).type, Dims{dims[0], dims[1] / (block * block), checked_product(dims[2], block),
                                checked_product(dims[3], block)}}};
}

std::vector<TensorFacts> space_to_depth_shape(const NodeView& node) {
  const std::int64_t block = block_of(node);
  const Dims& dims = node.shape(0);
  if (dims[2] % block != 0 || dims[3] % block != 0) throw Error("blocks do not fill the image");
  return {{node.input(0).type, Dims{dims[0], checked_product(dims[1], block * block),
                                    dims[2] / block, dims[3] / block}}};
}

/// A dense tensor of `dims` with its axes in another order.
View permuted(const Dims& dims, const Dims& order) {
  const Dims strides = dense_strides(dims);
  View view;
  for (const std::int64_t axis : order) {
    view.dims.push_back(dims[static_cast<std::size_t>(axis)]);
    view.strides.push_back(strides[static_cast<std::size_t>(axis)]);
  }
  return view;
}

Lowered moved(const View& from) { return movement({copy_call(from, dense_view(from.dims))}); }

Lowered lower_depth_to_space(const NodeView& node) {
  const std::int64_t block = block_of(node);
  const Dims& dims = node.shape(0);
  if (dims[1] % (block * block) != 0) throw Error("the channels do not fill the blocks");
  const std::int64_t depth = dims[1] / (block * block);
  if (node.text("mode", "DCR") == "CRD") {
    return moved(permuted({dims[0], depth, block, block, dims[2], dims[3]}, {0, 1, 4, 2, 5, 3}));
  }
  return moved(permuted({dims[0], block, block, depth, dims[2], dims[3]}, {0, 3, 4, 1, 5, 2}));
}

Lowered lower_space_to_depth(const NodeView& node) {
  const std::int64_t block = block_of(node);
  const Dims& dims = node.shape(0);
  if (dims[2] % block != 0 || dims[3] % block != 0) throw Error("blocks do not fill the image");
  const Dims blocks{dims[0], dims[1], dims[2] / block, block, dims[3] / block, block};
  const bool depth_first = node.text("mode", "DCR") == "CRD";  // from opset 28
  return moved(permuted(blocks, depth_first ? Dims{0, 1, 3, 5, 2, 4} : Dims{0, 3, 5, 1, 2, 4}));
}

}  // namespace

void register_space(OperatorTable& table) {
  table.add("DepthToSpace", {.shapes = {{depth_to_space_shape}}, .lower = lower_depth_to_space});
  table.add("SpaceToDepth", {.shapes = {{space_to_depth_shape}}, .lower = lower_space_to_depth});
}

}  // namespace benanza::onnx
