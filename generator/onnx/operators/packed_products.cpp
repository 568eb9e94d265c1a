#include <algorithm>

#include "core/base/error.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

/// Products of ONNX Runtime with weights that the file packs, other than those of MatMulNBits.
namespace benanza::onnx {
namespace {

std::vector<TensorFacts> rows_of(const NodeView& node, std::int64_t columns) {
  Dims dims = node.shape(0);
  if (dims.empty()) throw Error("an input without axes");
  dims.back() = columns;
  return {{node.input(0).type, dims}};
}

std::vector<TensorFacts> stated_columns_shape(const NodeView& node) {
  return rows_of(node, node.integer("N", 0));
}

/// Weights have a row for each column of the result.
std::vector<TensorFacts> rows_of_weights_shape(const NodeView& node) {
  if (node.shape(1).size() != 2) throw Error("weights of other than two axes");
  return rows_of(node, node.shape(1)[0]);
}

/// The extents of the weights are the values of input 2.
std::vector<TensorFacts> blob_shape(const NodeView& node) {
  const Dims extents = node.integers(2);
  if (extents.size() != 2) throw Error("weights of other than two axes");
  return rows_of(node, extents[1]);
}

/// Weights of 8 bits, or two of 4 bits in a byte, with a scale for each block of a row. `bias`: an
/// input.
Lowered lower_blocks(const NodeView& node, PackedType type, std::int64_t block, std::size_t bias) {
  const Dims& a = node.shape(0);
  const Dims& weights = node.shape(1);
  if (weights.size() != 2) throw Error("weights of other than two axes");
  Gemm shape;
  shape.transpose_b = true;
  shape.constant_b = node.input(1).constant;
  shape.n = weights[0];
  shape.k = weights[1] * (type == PackedType::fp4 ? 2 : 1);
  if (!shape.constant_b) throw NotExpressible("weights that change with every run");
  if (shape.n < 1 || shape.k < 1 || a.empty() || a.back() != shape.k) {
    throw Error(join(a, 'x') + " and " + join(weights, 'x') + " do not multiply");
  }
  shape.m = element_count(a) / shape.k;
  Call product = call(shape, {from_input(0), from_input(1)});
  product.problem.packed = PackedWeights{.type = type, .block = block};
  if (block < 1) throw Error("a block_size below 1");
  if (!node.has_input(bias)) return measured({product});
  return measured(
      {product, elementwise_call(BinaryKind::add, {output(product.problem), false, from_call(0)},
                                 operand_of(node, bias, node.extents(bias)))});
}

/// Inputs: A, B, the scales, a scale of A, a bias.
Lowered lower_fp8_blocks(const NodeView& node) {
  if (node.has_input(3)) throw NotExpressible("data that are converted to fp8 before the product");
  return lower_blocks(node, PackedType::fp8, node.integer("block_size", 128), 4);
}

/// Inputs: A, B, the scales, their scale, a scale of A, a bias.
Lowered lower_fp4_blocks(const NodeView& node) {
  return lower_blocks(node, PackedType::fp4, node.integer("block_size", 16), 5);
}

/// Rows of A times weights of `type`, stored column by column.
Lowered lower_columns(const NodeView& node, std::int64_t k, std::int64_t n,
                      const PackedWeights& packed) {
  const Dims& a = node.shape(0);
  Gemm shape;
  shape.n = n;
  shape.k = k;
  shape.transpose_b = true;
  shape.constant_b = node.input(1).constant;
  if (!shape.constant_b) throw NotExpressible("weights that change with every run");
  if (n < 1 || k < 1 || a.empty() || a.back() != k) {
    throw Error(join(a, 'x') + " and K of " + std::to_string(k) + " do not multiply");
  }
  shape.m = element_count(a) / k;
  Call product = call(shape, {from_input(0), from_input(1)});
  product.problem.packed = packed;
  return measured({product});
}

/// Inputs: A, B, the largest magnitude of each block.
Lowered lower_bnb4(const NodeView& node) {
  const std::int64_t k = node.integer("K", 0);
  const std::int64_t block = node.integer("block_size", 0);
  const std::int64_t kind = node.integer("quant_type", 0);
  if (kind != 0 && kind != 1) {
    throw NotExpressible("quant_type " + std::to_string(kind) + ", neither FP4 nor NF4");
  }
  if (!node.flag("transB", true)) throw NotExpressible("weights stored row by row");
  if (node.flag("training_mode")) throw NotExpressible("training");
  if (block < 1 || k % block != 0) throw NotExpressible("blocks of more than one column");
  return lower_columns(node, k, node.integer("N", 0),
                       {.type = kind == 0 ? PackedType::fp4 : PackedType::nf4, .block = block});
}

/// Inputs: A, B and the extents of B. A block of B has its scale and its zero point beside it.
Lowered lower_blob(const NodeView& node) {
  const Dims extents = node.integers(2);
  if (extents.size() != 2) throw Error("weights of other than two axes");
  PackedWeights packed{.type = PackedType::int4, .block = 32};
  switch (node.integer("blk_quant_type", 1)) {
    case 0:
      break;
    case 1:
      packed.type = PackedType::uint4;
      packed.zero_points = true;
      break;
    case 2:
      packed.block = 64;
      break;
    default:
      throw NotExpressible("weights in a layout of its own");
  }
  return lower_columns(node, extents[0], extents[1], packed);
}

/// Whole rows of a table whose numbers are packed. Every run reads the rows it picks.
std::vector<TensorFacts> gather_blocks_shape(const NodeView& node) {
  const Dims& data = node.shape(0);
  const Dims& indices = node.shape(1);
  const auto axis =
      static_cast<std::ptrdiff_t>(NodeView::axis(node.integer("gather_axis", 0), data.size()));
  Dims dims(data.begin(), data.begin() + axis);
  dims.insert(dims.end(), indices.begin(), indices.end());
  dims.insert(dims.end(), data.begin() + axis + 1, data.end());
  // Several numbers in a byte lie side by side in the last axis.
  const bool in_bytes = type_name(node.input(0).type) == "uint8";
  const std::int64_t bits = node.integer("bits", 4);
  if (bits < 1 || bits > 8) throw Error("numbers of " + std::to_string(bits) + " bits");
  if (in_bytes && !dims.empty()) dims.back() *= 8 / bits;
  return {{node.input(2).type, dims}};
}

/// Of the table, its scales and its zero points, no more rows than there are indices.
std::vector<PartRead> blocks_picked(const NodeView& node) {
  std::vector<PartRead> parts;
  for (const std::size_t input : {0, 2, 3}) {
    if (!node.has_input(input) || node.shape(input).empty()) continue;
    const Dims& dims = node.shape(input);
    const auto axis =
        static_cast<std::size_t>(NodeView::axis(node.integer("gather_axis", 0), dims.size()));
    // One scale for all rows.
    const bool picks = dims[axis] == node.shape(0)[axis];
    parts.push_back({.input = input,
                     .most = picks ? std::min(node.elements(1), dims[axis]) : dims[axis],
                     .of = dims[axis]});
  }
  return parts;
}

/// A copy of the packed rows (where the model runs at fp32; fewer bytes at others), and the
/// conversion of as many bytes as there are numbers: it reads more than numbers of fewer bits have.
Lowered lower_gather_blocks(const NodeView& node) {
  const std::string type = type_name(node.input(0).type);
  const bool of_floats = type.starts_with("float");
  const std::int64_t bits = of_floats ? type_bits(node.input(0).type) : node.integer("bits", 4);
  if (type != "uint8" && bits != type_bits(node.input(0).type)) {
    throw NotExpressible(type + " of " + std::to_string(bits) + " bits");
  }
  if (bits != 2 && bits != 4 && bits != 8) {
    throw NotExpressible("numbers of " + std::to_string(bits) + " bits");
  }
  Dims made = node.output_shape(0);
  if (made.empty()) made = {1};
  constexpr std::int64_t bits_of_word = 32;
  const std::int64_t words = element_count(made) * bits / bits_of_word;
  std::vector<Call> calls;
  if (words > 0) {
    calls.push_back(call(Copy{.dims = {words}, .from = {1}, .to = {1}}, {from_input(0)}));
  }
  calls.push_back(
      call(Quantization{.kind = QuantizationKind::dequantize, .input = made, .fp8 = of_floats},
           {from_input(0)}));
  for (Call& one : calls) one.is_proxy = true;
  return measured(std::move(calls), Types::checked_by_lowering);
}

}  // namespace

void register_packed_products(OperatorTable& table) {
  table.add("com.microsoft.MatMulBlockQuantizedFp8Weight", {.shapes = {{rows_of_weights_shape}},
                                                            .lower = lower_fp8_blocks,
                                                            .reads_all_constants = true,
                                                            .idle_inputs = {2}});
  table.add("com.microsoft.MatMulBlockQuantizedFp4Weight", {.shapes = {{rows_of_weights_shape}},
                                                            .lower = lower_fp4_blocks,
                                                            .reads_all_constants = true,
                                                            .idle_inputs = {2, 3, 4}});
  table.add("com.microsoft.MatMulBnb4", {.shapes = {{stated_columns_shape}},
                                         .lower = lower_bnb4,
                                         .reads_all_constants = true,
                                         .idle_inputs = {2}});
  table.add("com.microsoft.MatMulFpQ4",
            {.shapes = {{blob_shape}}, .lower = lower_blob, .reads_all_constants = true});
  struct Named {
    std::string name;
    ShapeFunction shape;
    std::string_view reason;
  };
  for (const Named& named : {
           Named{"MatMulPacked", stated_columns_shape, "weights in a layout of its own"},
           Named{"MatMulNBitsQLoRA", stated_columns_shape,
                 "no library here has a product with packed weights of two ranks"},
       }) {
    table.add(
        "com.microsoft." + named.name,
        {.shapes = {{named.shape}}, .unsupported = named.reason, .reads_all_constants = true});
  }
  table.add("com.microsoft.GatherBlockQuantized",
            {.shapes = {{gather_blocks_shape}},
             .lower = lower_gather_blocks,
             .parts = blocks_picked,
             .idle_attributes = {"bits", "block_size", "gather_axis", "quantize_axis"},
             .idle_inputs = {1, 2, 3}});
}

}  // namespace benanza::onnx
