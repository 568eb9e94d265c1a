#include <onnx/onnx_pb.h>

#include <algorithm>

#include "core/base/error.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
namespace {

// Indices of the inputs.
constexpr std::size_t word_table = 2;
constexpr std::size_t position_table = 3;
constexpr std::size_t segment_table = 4;
constexpr std::size_t scale_row = 5;
constexpr std::size_t bias_row = 6;
constexpr std::size_t token_mask = 7;
constexpr std::size_t position_ids = 8;

/// Batch, length and the size of an embedding.
Dims embedded(const NodeView& node) {
  const Dims& ids = node.shape(0);
  const Dims& table = node.shape(word_table);
  if (ids.size() != 2 || table.size() != 2) throw Error("ids and embeddings need two axes each");
  return {ids[0], ids[1], table[1]};
}

/// Input: word ids (batch, length). Outputs: embeddings, the number of tokens of each row, and the
/// sum of the embeddings.
std::vector<TensorFacts> embed_normalization_shape(const NodeView& node) {
  const Dims dims = embedded(node);
  const TensorFacts sum{node.input(word_table).type, dims};
  return {sum, {::onnx::TensorProto::INT32, Dims{dims[0]}}, sum};
}

/// Counting the tokens of a mask is a copy of it.
void count_tokens(const NodeView& node, std::vector<Call>& calls) {
  if (!node.has_output(1) || !node.has_input(token_mask)) return;
  calls.push_back(
      proxy_copy(node, element_count(node.shape(token_mask)), static_cast<int>(token_mask)));
  calls.back().output = 1;
}

/// The calls, then the normalization of the sum; `operands`: with its scale and bias.
Lowered normalized(const NodeView& node, std::vector<Call> calls, std::vector<Source> operands) {
  const Dims dims = embedded(node);
  const LayerNormalization shape{.rows = dims[0] * dims[1],
                                 .length = dims[2],
                                 .epsilon = node.real("epsilon", 1e-12F),
                                 .scale = true,
                                 .bias = true};
  calls.push_back(call(shape, std::move(operands)));
  return measured(std::move(calls), Types::checked_by_lowering);
}

/// The rows of each table, which only the data choose: a copy of as many; their sum; and its
/// normalization.
Lowered lower_embed_normalization(const NodeView& node) {
  if (!is_floating(node.input(word_table).type)) {
    throw NotExpressible("embeddings of " + type_name(node.input(word_table).type));
  }
  const Dims dims = embedded(node);
  std::vector<Call> calls;
  const auto rows = [&](std::size_t table, const Dims& extents) {
    calls.push_back(proxy_copy(node, element_count(extents), static_cast<int>(table)));
    return ElementwiseOperand{extents, false, last_result(calls)};
  };
  count_tokens(node, calls);
  ElementwiseOperand sum = rows(word_table, dims);
  const auto add = [&](const ElementwiseOperand& row) {
    sum = {dims, false, add_call(calls, elementwise_call(BinaryKind::add, sum, row))};
  };
  add(rows(position_table, {node.has_input(position_ids) ? dims[0] : 1, dims[1], dims[2]}));
  if (node.has_input(segment_table)) add(rows(segment_table, dims));
  if (node.has_output(2)) calls.back().output = 2;
  return normalized(node, std::move(calls),
                    {sum.source, from_input(scale_row), from_input(bias_row)});
}

// Inputs of QEmbedLayerNormalization behind those: scales, in the order of what they scale.
constexpr std::size_t first_scale = 8;

/// The result, in the type of the scales, and the number of tokens of each row.
std::vector<TensorFacts> quantized_embed_shape(const NodeView& node) {
  const Dims dims = embedded(node);
  return {{node.input(first_scale).type, dims}, {::onnx::TensorProto::INT32, Dims{dims[0]}}};
}

/// Copies of rows of bytes, as words of 32 bits, and conversions of them; then as with floats.
Lowered lower_quantized_embed(const NodeView& node) {
  const Dims dims = embedded(node);
  std::vector<Call> calls;
  constexpr std::int64_t bytes_of_word = 4;
  const auto converted = [&](std::size_t place, const Dims& extents, bool chosen) {
    const int type = node.input(place).type;
    if (type_bits(type) != 8 || is_floating(type)) {
      throw NotExpressible("embeddings of " + type_name(type));
    }
    const Source source = from_input(place);
    const std::int64_t words = element_count(extents) / bytes_of_word;
    if (chosen && words > 0) {
      calls.push_back(call(Copy{.dims = {words}, .from = {1}, .to = {1}}, {source}));
      calls.back().is_proxy = true;
    }
    calls.push_back(
        call(Quantization{.kind = QuantizationKind::dequantize, .input = extents}, {source}));
    calls.back().is_proxy = chosen;
    return ElementwiseOperand{extents, false, last_result(calls)};
  };
  count_tokens(node, calls);
  ElementwiseOperand sum = converted(word_table, dims, true);
  const auto add = [&](const ElementwiseOperand& row) {
    sum = {dims, false, add_call(calls, elementwise_call(BinaryKind::add, sum, row))};
  };
  add(converted(position_table, {1, dims[1], dims[2]}, true));
  if (node.has_input(segment_table)) add(converted(segment_table, dims, true));
  const Source scale = converted(scale_row, {dims[2]}, false).source;
  const Source bias = converted(bias_row, {dims[2]}, false).source;
  return normalized(node, std::move(calls), {sum.source, scale, bias});
}

/// Of each table no more rows than there are tokens.
std::vector<PartRead> embeddings_read(const NodeView& node) {
  std::vector<PartRead> parts;
  for (const std::size_t table : {word_table, position_table, segment_table}) {
    if (!node.has_input(table) || node.shape(table).size() != 2) continue;
    const std::int64_t rows = node.shape(table)[0];
    parts.push_back({.input = table, .most = std::min(node.elements(0), rows), .of = rows});
  }
  return parts;
}

}  // namespace

void register_embed_normalization(OperatorTable& table) {
  // Ids choose rows. What the mask's counts are called is for the reader of output 1.
  table.add("com.microsoft.EmbedLayerNormalization", {.shapes = {{embed_normalization_shape}},
                                                      .lower = lower_embed_normalization,
                                                      .parts = embeddings_read,
                                                      .idle_attributes = {"mask_index_type"},
                                                      .idle_inputs = {1, token_mask}});
  // Scales and zero points are part of the conversions.
  table.add("com.microsoft.QEmbedLayerNormalization",
            {.shapes = {{quantized_embed_shape}},
             .lower = lower_quantized_embed,
             .parts = embeddings_read,
             .idle_inputs = {1, token_mask, first_scale, 9, 10, 11, 12, 13, 14, 15, 16, 17}});
}

}  // namespace benanza::onnx
