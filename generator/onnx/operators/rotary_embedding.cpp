#include <onnx/onnx_pb.h>

#include "core/base/error.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

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
  Rotation rotation{.interleaved = node.flag("interleaved")};
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

Lowered lower_microsoft_rotation(const NodeView& node) {
  return lower_rotation(node, {.cosines = 2, .sines = 3, .positions = 1});
}

/// What is normalized of each row: its first element, and how many.
struct RowPart {
  std::int64_t start = 0;
  std::int64_t width = 0;

  explicit RowPart(const NodeView& node) : start(node.integer("input_start", 0)) {
    const Dims& x = node.shape(0);
    if (x.size() != 4) throw Error("an input of " + join(x, 'x') + ", not 4-D");
    width = node.integer("input_width", 0);
    if (width == 0) width = x[3] - start;
    if (start < 0 || width < 1 || width > x[3] - start) {
      throw Error("elements from " + std::to_string(start) + " of rows of " + std::to_string(x[3]));
    }
  }
};

/// Inputs: batch, length, heads, rows. The result has the heads side by side; output 1 is what is
/// rotated, in fp32.
std::vector<TensorFacts> normalized_rotation_shape(const NodeView& node) {
  const std::int64_t width = RowPart(node).width;
  const Dims& x = node.shape(0);
  const bool flat = node.flag("flatten_batch");
  const int type = node.integer("output_fp16", 0) != 0 ? ::onnx::TensorProto::FLOAT16
                                                       : ::onnx::TensorProto::BFLOAT16;
  const Dims made{flat ? 1 : x[0], flat ? x[0] * x[1] : x[1], x[2] * width};
  return {{type, made}, {::onnx::TensorProto::FLOAT, Dims{x[0], x[1], x[2], width}}};
}

/// Inputs: x, scales, positions, cosines, sines.
Lowered lower_normalized_rotation(const NodeView& node) {
  const RowPart part(node);
  const Dims& x = node.shape(0);
  const Dims& cosines = node.shape(3);
  const std::int64_t rotated = node.integer("rotary_embedding_dim", 0);
  if (cosines.size() != 2 || cosines != node.shape(4) || 2 * cosines[1] != rotated) {
    throw Error("cosines of " + join(cosines, 'x') + " for " + std::to_string(rotated) +
                " elements of a row");
  }
  if (node.shape(1) != Dims{part.width}) throw Error("scales of " + join(node.shape(1), 'x'));
  const Dims rows{x[0], x[1], x[2], part.width};
  std::vector<Call> calls;
  Source source = from_input(0);
  if (part.width != x[3]) {
    const std::int64_t count = x[0] * x[1] * x[2];
    source = add_call(calls, copy_call({{count, part.width}, {x[3], 1}, part.start},
                                       dense_view({count, part.width})));
  }
  calls.push_back(call(LayerNormalization{.rows = x[0] * x[1] * x[2],
                                          .length = part.width,
                                          .epsilon = node.real("epsilon", 1e-6F),
                                          .scale = true,
                                          .root_mean_square = true},
                       {source, from_input(1)}));
  if (node.has_output(1)) calls.back().output = 1;
  const bool is_offset = node.elements(2) == 1;
  const auto normalized = static_cast<int>(calls.size()) - 1;
  const Rotation rotation{.rows = rows, .table = {is_offset ? 1 : x[0], x[1], 1, rotated / 2}};
  for (Call& step : rotation.calls({from_call(normalized), from_input(3), from_input(4)})) {
    calls.push_back(std::move(step));
  }
  return measured(std::move(calls));
}

}  // namespace

void register_rotary_embedding(OperatorTable& table) {
  table.add("RotaryEmbedding", {.shapes = {{like_first}}, .lower = [](const NodeView& node) {
                                  return lower_rotation(node,
                                                        {.cosines = 1, .sines = 2, .positions = 3});
                                }});
  table.add("com.microsoft.RotaryEmbedding", {.shapes = {{like_first}},
                                              .lower = lower_microsoft_rotation,
                                              .idle_attributes = {"is_packed_batching"}});
  // How its parts round is for the reader of its result.
  table.add("com.microsoft.RMSNormRotary",
            {.shapes = {{normalized_rotation_shape}},
             .lower = lower_normalized_rotation,
             .idle_attributes = {"flatten_batch", "output_fp16", "use_fp32_arithmetic"},
             .idle_inputs = {5}});
  // Three positions of a token choose thirds of its rows of the tables. Packed sequences have a
  // position for each of their rows, too.
  table.add("com.microsoft.MRotaryEmbedding",
            {.shapes = {{like_first}},
             .lower = lower_microsoft_rotation,
             .idle_attributes = {"is_packed_batching", "mrope_layout", "mrope_section"}});
}

}  // namespace benanza::onnx
