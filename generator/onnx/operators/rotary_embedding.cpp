#include "core/base/error.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"
#include "generator/onnx/operators/shared/rotation.h"

namespace benanza::onnx {
namespace {

/// Indices of the inputs.
struct Inputs {
  int cosines;
  int sines;
  std::size_t positions;
};

/// Positions select rows of the tables: assumed to be gathered, one row per position.
Lowered lower_rotation(const NodeView& node, Inputs places) {
  if (node.real("scale", 1) != 1) throw NotExpressible("a rotation with a factor");
  const Dims& x = node.shape(0);
  const Dims& cosines = node.shape(static_cast<std::size_t>(places.cosines));
  if (x.size() != 3 && x.size() != 4)
    throw Error("an input of " + join(x, 'x') + ", not 3-D or 4-D");
  if (cosines.empty() || cosines != node.shape(static_cast<std::size_t>(places.sines))) {
    throw Error("cosines of " + join(cosines, 'x') + " and other sines");
  }
  const std::int64_t rotated = 2 * cosines.back();
  const std::int64_t stated = node.integer("rotary_embedding_dim", 0);
  if (stated != 0 && stated != rotated) {
    throw Error("rotary_embedding_dim is " + std::to_string(stated) + ", and the cosines are for " +
                std::to_string(rotated) + " elements of a row");
  }
  const std::int64_t heads = node.integer("num_heads", 0);
  // Three axes: positions before heads; four: heads before positions.
  const bool positions_first = x.size() == 3;
  std::int64_t size = rotated;
  if (!positions_first) size = x[3];
  if (positions_first && heads > 0) size = x[2] / heads;
  if (positions_first && (size == 0 || x[2] % size != 0)) {
    throw Error("rows of " + std::to_string(x[2]) + " for heads of " + std::to_string(size));
  }
  // A single position is the offset at which every sequence of the batch starts.
  const bool is_offset =
      node.has_input(places.positions) && element_count(node.shape(places.positions)) == 1;
  const std::int64_t images = is_offset ? 1 : x[0];
  Rotation rotation{.interleaved = node.integer("interleaved", 0) != 0};
  if (positions_first) {
    rotation.rows = {x[0], x[1], x[2] / size, size};
    rotation.table = {images, x[1], 1, rotated / 2};
  } else {
    rotation.rows = x;
    rotation.table = {images, 1, x[2], rotated / 2};
  }
  return measured(
      rotation.calls({from_input(0), from_input(places.cosines), from_input(places.sines)}));
}

}  // namespace

void register_rotary_embedding(OperatorTable& table) {
  table.add("RotaryEmbedding", {.shapes = {{like_first}}, .lower = [](const NodeView& node) {
                                  return lower_rotation(node,
                                                        {.cosines = 1, .sines = 2, .positions = 3});
                                }});
  table.add("com.microsoft.RotaryEmbedding",
            {.shapes = {{like_first}}, .lower = [](const NodeView& node) {
               if (node.integer("is_packed_batching", 0) != 0) {
                 throw NotExpressible("sequences packed together");
               }
               return lower_rotation(node, {.cosines = 2, .sines = 3, .positions = 1});
             }});
  // Three positions of a token choose thirds of its rows of the tables. Packed sequences have a
  // position for each of their rows, too.
  table.add("com.microsoft.MRotaryEmbedding",
            {.shapes = {{like_first}},
             .lower =
                 [](const NodeView& node) {
                   return lower_rotation(node, {.cosines = 2, .sines = 3, .positions = 1});
                 },
             .idle_attributes = {"is_packed_batching", "mrope_layout", "mrope_section"}});
}

}  // namespace benanza::onnx
