#include <onnx/onnx_pb.h>

#include "core/base/error.h"
#include "generator/onnx/model/node_view.h"
#include "generator/onnx/operators/shared/attention_parts.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/packed_heads.h"
#include "generator/onnx/read/composition.h"

/// Attention of ONNX Runtime that begins with a projection to q, k and v by one weight.
namespace benanza::onnx {
namespace {

/// The inputs that such a node has at different places; beyond all of them: none.
struct AttentionPlaces {
  std::size_t mask = 100;
  std::size_t past = 100;
  std::size_t addend = 100;
  std::size_t past_length = 100;
};

constexpr AttentionPlaces of_attention{.mask = 3, .past = 4, .addend = 5, .past_length = 6};
constexpr AttentionPlaces of_quantized{.mask = 5, .past = 8};
constexpr AttentionPlaces of_tokens{.addend = 5};

/// Elements of q, k and v in rows of `width`.
Dims widths(const NodeView& node, std::int64_t width) {
  const Dims sizes = node.integers("qkv_hidden_sizes").value_or(Dims(3, width / 3));
  if (sizes.size() != 3 || sizes[0] + sizes[1] + sizes[2] != width) {
    throw Error("q, k and v do not fill the rows of " + std::to_string(width));
  }
  return sizes;
}

/// Of rows of `width` for `input` (batch, length, any).
std::vector<TensorFacts> projected_shape(const NodeView& node, const Dims& input, int type,
                                         std::int64_t width, const AttentionPlaces& places) {
  const std::int64_t heads = positive(node, "num_heads");
  const Dims sizes = widths(node, width);
  const Dims keys{input[0], heads, input[1], sizes[2] / heads};
  return {{type, with_last(input, sizes[2])}, {type, present_of_both(node, places.past, keys)}};
}

/// Input (batch, length, hidden) and weights (hidden, q + k + v).
std::vector<TensorFacts> packed_attention_shape(const NodeView& node) {
  if (node.shape(1).empty()) throw Error("weights without axes");
  return projected_shape(node, rows_of_input(node, 0), node.input(0).type, node.shape(1).back(),
                         of_attention);
}

/// Bytes times weights of bytes, then attention; input 3 is the scale of the data. Or, without
/// weights, what the product made.
std::vector<TensorFacts> quantized_attention_shape(const NodeView& node) {
  const Dims& input = rows_of_input(node, 0);
  const bool projects = node.has_input(1);
  if (projects && node.shape(1).empty()) throw Error("weights without axes");
  return projected_shape(node, input, node.input(projects ? 3 : 0).type,
                         projects ? node.shape(1).back() : input.back(), of_quantized);
}

/// Tokens of all sequences one after the other, without padding.
std::vector<TensorFacts> tokens_shape(const NodeView& node) {
  const Dims& input = node.shape(0);
  if (input.empty() || node.shape(1).empty()) throw Error("an input or weights without axes");
  return {{node.input(0).type, with_last(input, widths(node, node.shape(1).back())[2])}};
}

bool shares_past(const NodeView& node, std::size_t past) {
  return node.flag("past_present_share_buffer") && node.has_input(past);
}

/// Of earlier keys and values with room for more, those that are filled.
std::vector<PartRead> filled_past(const NodeView& node) {
  if (!shares_past(node, of_attention.past)) return {};
  const std::int64_t added = rows_of_input(node, 0)[1];
  return filled_rows(node, {of_attention.past}, 3, of_attention.past_length, added);
}

/// What follows the projection to `rows` (batch, length).
Lowered attend_to_rows(AttentionParts parts, const NodeView& node, const Dims& rows,
                       const Dims& sizes, Source projected, const AttentionPlaces& places) {
  if (node.flag("do_rotary")) throw NotExpressible("a rotation of q and k");
  AttentionInputs inputs =
      heads_side_by_side(parts, node, rows[0], rows[1], sizes, std::move(projected));
  const std::int64_t past =
      append_past_of_both(parts, node, places.past, places.past_length, inputs);
  std::vector<ScoreMask> masks;
  if (node.has_input(places.mask)) add_padding_mask(node, places.mask, inputs, masks);
  if (node.has_input(places.addend)) masks.push_back(mask_of(node, places.addend, inputs));
  if (node.flag("unidirectional")) see_earlier(inputs, past, 0, masks);
  finish(parts, node, inputs, std::move(masks), true);
  Lowered lowered = std::move(parts).done();
  if (shares_past(node, places.past)) say_if_full(node, places.past_length, past, lowered);
  return lowered;
}

/// The projection by input 1, and the bias, input 2.
Source project(AttentionParts& parts, const NodeView& node, std::int64_t rows) {
  const Dims& weights = node.shape(1);
  if (weights.size() != 2) throw Error("weights of " + join(weights, 'x'));
  const Source product = parts.add(matmul_call(node, {0, 1}, false, false));
  if (!node.has_input(2)) return product;
  return parts.add(
      elementwise_call(BinaryKind::add, {{rows, weights[1]}, false, product}, operand_of(node, 2)));
}

Lowered lower_packed_attention(const NodeView& node) {
  const Dims& input = rows(node, 0);
  AttentionParts parts;
  const Source projected = project(parts, node, input[0] * input[1]);
  return attend_to_rows(std::move(parts), node, input, widths(node, node.shape(1)[1]), projected,
                        of_attention);
}

/// Inputs 3 and 4: the place of every token (sequences, length) and where sequences begin. If there
/// are as many tokens as places, all sequences have that length.
Lowered lower_attention_of_tokens(const NodeView& node) {
  const Dims& input = node.shape(0);
  const Dims& places = node.shape(3);
  if (input.size() != 2 || places.size() != 2) throw Error("tokens of " + join(input, 'x'));
  if (input[0] != element_count(places)) {
    throw NotExpressible("which tokens are of one sequence is only known when it runs");
  }
  AttentionParts parts;
  const Source projected = project(parts, node, input[0]);
  return attend_to_rows(std::move(parts), node, places, widths(node, node.shape(1)[1]), projected,
                        of_tokens);
}

/// Of what compose_quantized_attention() leaves of it.
Lowered lower_quantized_attention(const NodeView& node) {
  if (node.has_input(1)) throw NotExpressible("it has more than a product of bytes and attention");
  const Dims& input = rows(node, 0);
  return attend_to_rows({}, node, input, widths(node, input[2]), from_input(0), of_quantized);
}

/// A product of bytes that makes floats, and attention without a projection.
Composition compose_quantized_attention() {
  Composition made = composed("QAttention", 5,
                              {"input", "weight", "bias", "input_scale", "weight_scale", "mask",
                               "input_point", "weight_point", "past"},
                              {"output", "present"});
  add_part(
      made, "MatMulIntegerToFloat", "com.microsoft",
      {"input", "weight", "input_scale", "weight_scale", "input_point", "weight_point", "bias"},
      {"projected"});
  ::onnx::NodeProto& attention =
      add_part(made, "QAttention", "com.microsoft",
               {"projected", "", "", "", "", "mask", "", "", "past"}, {"output", "present"});
  for (const auto* name : {"num_heads", "unidirectional", "scale", "mask_filter_value", "do_rotary",
                           "past_present_share_buffer"}) {
    made.function.add_attribute(name);
    ::onnx::AttributeProto& attribute = *attention.add_attribute();
    attribute.set_name(name);
    attribute.set_ref_attr_name(name);
  }
  return made;
}

}  // namespace

// What the framework fills masks with does not change the calls.
void register_packed_attention(OperatorTable& table) {
  const std::vector<std::string_view> idle{"mask_filter_value", "past_present_share_buffer",
                                           "rotary_embedding_dim"};
  for (const auto* op : {"Attention", "DecoderMaskedSelfAttention"}) {
    table.add(std::string("com.microsoft.") + op, {.shapes = {{packed_attention_shape}},
                                                   .lower = lower_packed_attention,
                                                   .parts = filled_past,
                                                   .reads_all_constants = true,
                                                   .idle_attributes = idle,
                                                   .idle_inputs = {6}});
  }
  table.add("com.microsoft.PackedAttention", {.shapes = {{tokens_shape}},
                                              .lower = lower_attention_of_tokens,
                                              .reads_all_constants = true,
                                              .idle_attributes = idle,
                                              .idle_inputs = {3, 4}});
  table.add("com.microsoft.QAttention", {.shapes = {{quantized_attention_shape}},
                                         .lower = lower_quantized_attention,
                                         .compose = compose_quantized_attention,
                                         .reads_all_constants = true,
                                         .idle_attributes = idle});
}

}  // namespace benanza::onnx
