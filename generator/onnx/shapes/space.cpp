#include "core/base/error.h"
#include "generator/onnx/shapes/table.h"
#include "generator/onnx/whole.h"

/// The schemas' own inference divides by the square of the block, whatever that is.
namespace benanza::onnx::shapes {
namespace {

constexpr std::int64_t most = std::int64_t{1} << 20;

std::int64_t block_of(const Site& site) {
  const std::int64_t block = site.node().integer("blocksize", 0);
  if (site.shape(0).size() != 4 || block < 1 || block > most) {
    throw Error("needs four axes and a block of 1 to " + std::to_string(most));
  }
  return block;
}

std::vector<TensorFacts> depth_to_space(const Site& site) {
  const std::int64_t block = block_of(site);
  const Dims& dims = site.shape(0);
  if (dims[1] % (block * block) != 0) throw Error("the channels do not fill the blocks");
  return {
      {site.input(0).type, Dims{dims[0], dims[1] / (block * block), checked_product(dims[2], block),
                                checked_product(dims[3], block)}}};
}

std::vector<TensorFacts> space_to_depth(const Site& site) {
  const std::int64_t block = block_of(site);
  const Dims& dims = site.shape(0);
  if (dims[2] % block != 0 || dims[3] % block != 0) throw Error("blocks do not fill the image");
  return {{site.input(0).type, Dims{dims[0], checked_product(dims[1], block * block),
                                    dims[2] / block, dims[3] / block}}};
}

}  // namespace

void register_space(ShapeTable& table) {
  table.add("DepthToSpace", depth_to_space);
  table.add("SpaceToDepth", space_to_depth);
}

}  // namespace benanza::onnx::shapes
