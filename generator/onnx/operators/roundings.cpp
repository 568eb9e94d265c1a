#include <onnx/onnx_pb.h>

#include "core/base/error.h"
#include "generator/onnx/operators/shared/operator.h"

/// Roundings of quantizers, of which no library here has a call: their shapes, so that what follows
/// keeps its own.
namespace benanza::onnx {
namespace {

std::vector<std::size_t> first_one(const NodeView&) { return {0}; }

/// x rounded to floats, or as bytes, of blocks, with a scale for each block.
template <int elements, int scales>
std::vector<TensorFacts> blocks_shape(const NodeView& node) {
  const Dims& dims = node.shape(0);
  Dims blocks = dims;
  const std::size_t axis = NodeView::axis(node.integer("axis", -1), dims.size());
  const std::int64_t size = node.integer("block_size", 16);
  if (size < 1) throw Error("blocks of " + std::to_string(size) + " elements");
  blocks[axis] = (blocks[axis] + size - 1) / size;
  return {{elements, dims}, {scales, blocks}};
}

void add_roundings(OperatorTable& table, std::initializer_list<std::string_view> domains,
                   std::initializer_list<std::string_view> ops) {
  for (const std::string_view domain : domains) {
    for (const std::string_view op : ops) {
      table.add(std::string(domain) + '.' + std::string(op),
                {.shapes = {{like_first}},
                 .unsupported = "no library here rounds floats to fewer values",
                 .reads_whole = first_one,
                 .writes_whole = first_one});
    }
  }
}

}  // namespace

void register_roundings(OperatorTable& table) {
  add_roundings(table, {"qonnx.custom_op.general", "onnx.brevitas", "finn.custom_op.general"},
                {"Quant", "IntQuant", "FloatQuant", "BipolarQuant", "Trunc"});
  add_roundings(table, {"com.amd.quark", "com.vai.quantize"},
                {"BFPQuantizeDequantize", "MXQuantizeDequantize", "BFPFixNeuron", "MXFixNeuron",
                 "FixNeuron"});
  add_roundings(table, {"trt"}, {"TRT_FP4QDQ"});
  constexpr int float8e4m3fn = 17;
  constexpr int float4e2m1 = 23;
  constexpr std::string_view reason = "no library here finds the scales of blocks";
  table.add("trt.TRT_FP4DynamicQuantize", {.shapes = {{blocks_shape<float4e2m1, float8e4m3fn>}},
                                           .unsupported = reason,
                                           .reads_whole = first_one,
                                           .writes_whole = first_one});
  table.add("trt.TRT_MXFP8DynamicQuantize",
            {.shapes = {{blocks_shape<float8e4m3fn, ::onnx::TensorProto::UINT8>}},
             .unsupported = reason,
             .reads_whole = first_one,
             .writes_whole = first_one});
}

}  // namespace benanza::onnx
