#include "core/base/error.h"
#include "generator/onnx/movement.h"

namespace benanza::onnx::lower {
namespace {

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

const Dims& image(const Site& site, std::int64_t block) {
  const Dims& dims = site.shape(0);
  constexpr std::int64_t most = std::int64_t{1} << 20;
  if (dims.size() != 4 || block < 1 || block > most) {
    throw Error("needs four axes and a block of 1 to " + std::to_string(most));
  }
  return dims;
}

Lowered moved(const View& from) { return movement({copy_call(from, dense_view(from.dims))}); }

Lowered depth_to_space(const Site& site) {
  const std::int64_t block = site.node().integer("blocksize", 0);
  const Dims& dims = image(site, block);
  if (dims[1] % (block * block) != 0) throw Error("the channels do not fill the blocks");
  const std::int64_t depth = dims[1] / (block * block);
  if (site.node().text("mode", "DCR") == "CRD") {
    return moved(permuted({dims[0], depth, block, block, dims[2], dims[3]}, {0, 1, 4, 2, 5, 3}));
  }
  return moved(permuted({dims[0], block, block, depth, dims[2], dims[3]}, {0, 3, 4, 1, 5, 2}));
}

Lowered space_to_depth(const Site& site) {
  const std::int64_t block = site.node().integer("blocksize", 0);
  const Dims& dims = image(site, block);
  if (dims[2] % block != 0 || dims[3] % block != 0) throw Error("blocks do not fill the image");
  const Dims blocks{dims[0], dims[1], dims[2] / block, block, dims[3] / block, block};
  const bool depth_first = site.node().text("mode", "DCR") == "CRD";  // from opset 28
  return moved(permuted(blocks, depth_first ? Dims{0, 1, 3, 5, 2, 4} : Dims{0, 3, 5, 1, 2, 4}));
}

}  // namespace

void register_space(LoweringTable& table) {
  table.add("DepthToSpace", depth_to_space);
  table.add("SpaceToDepth", space_to_depth);
}

}  // namespace benanza::onnx::lower
