#include <optional>

#include "core/base/error.h"
#include "generator/onnx/model/node_view.h"
#include "generator/onnx/operators/shared/attention_parts.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/grouped_cache.h"
#include "generator/onnx/operators/shared/packed_heads.h"

namespace benanza::onnx {
namespace {

constexpr std::size_t stated_length = 8;

/// Whether there are earlier keys and values, with room for the new ones.
bool grows_in_place(const NodeView& node) {
  return node.has_input(stated_length) && (node.has_input(6) || node.has_input(7));
}

/// Rows of the outputs with all keys: with a number of earlier ones (input 8), new ones are written
/// behind them into the same memory.
std::int64_t room_behind(const NodeView& node, std::int64_t added) {
  const std::int64_t past = node.shape(6).at(2);
  return node.has_input(stated_length) ? past : past + added;
}

/// Query (batch, length, hidden), key, value; or packed QKV with five axes.
std::vector<TensorFacts> multi_head_attention_shape(const NodeView& node) {
  const Dims& q = rows_of_input(node, 0);
  if (q.size() == 5) {
    const int type = node.input(0).type;
    const Dims keys{q[0], q[2], node.has_input(6) ? room_behind(node, q[1]) : q[1], q[4]};
    return {{type, Dims{q[0], q[1], q[2] * q[4]}},
            {type, keys},
            {type, keys},
            {type, Dims{q[0], q[2], q[1], keys[2]}}};
  }
  const std::int64_t heads = positive(node, "num_heads");
  std::int64_t hidden = q.back();
  std::int64_t k_length = q[1];
  std::int64_t v_size = hidden / heads;
  if (node.has_input(1)) {
    const Dims& k = rows_of_input(node, 1);
    k_length = k.size() == 4 ? k[2] : k[1];
    if (k.size() == 5) v_size = k[4];
  }
  if (node.has_input(2)) {
    const Dims& v = rows_of_input(node, 2);
    v_size = v.size() == 4 ? v[3] : v.back() / heads;
    hidden = checked_product(v_size, heads);
  }
  const std::int64_t all = node.has_input(6) ? room_behind(node, k_length) : k_length;
  const int type = node.input(0).type;
  return {{type, with_last(q, hidden)},
          {type, Dims{q[0], heads, all, q.back() / heads}},
          {type, Dims{q[0], heads, all, v_size}},
          {type, Dims{q[0], heads, q[1], all}}};
}

constexpr std::size_t qkv_bias = 3;

/// The rows of input `index` and the part of input `bias_index` that begins at `offset`, which it
/// moves behind that part.
Source add_bias_part(AttentionParts& parts, const NodeView& node, std::size_t bias_index,
                     std::size_t index, std::int64_t& offset) {
  const Dims& dims = node.shape(index);
  Source bias = from_input(bias_index);
  bias.part_from = offset;
  offset += dims.back();
  if (node.elements(bias_index) < offset) throw Error("a bias shorter than the rows of q, k and v");
  return parts.add(elementwise_call(BinaryKind::add, {dims, false, from_input(index)},
                                    {{dims.back()}, node.input(bias_index).constant, bias}));
}

/// Heads of input `index`, to whose rows the part of the bias that begins at `offset` is added;
/// heads of another sequence, which are separate, have theirs.
Heads biased_heads(AttentionParts& parts, const NodeView& node, std::size_t bias_index,
                   std::size_t index, std::int64_t& offset) {
  const bool is_separate = index > 0 && node.shape(index).size() == 4;
  if (!node.has_input(bias_index) || is_separate) return heads_of(parts, node, index, "num_heads");
  const Dims& dims = rows(node, index);
  const Source sum = add_bias_part(parts, node, bias_index, index, offset);
  const std::int64_t heads = head_count(node, "num_heads", dims[2]);
  return parts.split(dims[0], dims[1], heads, dims[2] / heads, sum, dims[2]);
}

/// Of one tensor with q, k and v of each head, or of two, the second of which has k and v.
AttentionInputs packed_heads(AttentionParts& parts, const NodeView& node) {
  if (node.has_input(qkv_bias)) throw NotExpressible("a bias of heads that share a tensor");
  const bool all = !node.has_input(1);
  const Dims& dims = node.shape(all ? 0 : 1);
  if (dims.size() != 5 || dims[3] != (all ? 3 : 2) ||
      dims[2] != head_count(node, "num_heads", dims[2])) {
    throw NotExpressible("q, k and v in tensors of " + join(dims, 'x'));
  }
  std::vector<Heads> heads = heads_in_turn(parts, dims, from_input(all ? 0 : 1));
  if (!all) heads.insert(heads.begin(), heads_of(parts, node, 0, "num_heads"));
  return {heads[0], heads[1], heads[2]};
}

AttentionInputs separate_heads(AttentionParts& parts, const NodeView& node,
                               std::size_t bias_index) {
  std::int64_t offset = 0;
  AttentionInputs inputs;
  inputs.q = biased_heads(parts, node, bias_index, 0, offset);
  inputs.k = biased_heads(parts, node, bias_index, 1, offset);
  inputs.v = biased_heads(parts, node, bias_index, 2, offset);
  return inputs;
}

std::optional<ScoreOutput> handed_out(const NodeView& node) {
  return node.has_output(3) ? std::optional(ScoreOutput{}) : std::nullopt;
}

/// Inputs 3 to 5: bias of q, k and v, padding mask of keys, addend of the scores.
Lowered lower_multi_head_attention(const NodeView& node) {
  AttentionParts parts;
  AttentionInputs inputs =
      node.has_input(2) ? separate_heads(parts, node, qkv_bias) : packed_heads(parts, node);
  std::int64_t earlier = node.has_input(6) ? node.shape(6).at(2) : 0;
  if (grows_in_place(node)) {
    earlier = append_past_in_place(parts, node, {6, 7}, stated_length, inputs);
  } else {
    append_past(parts, node, inputs, {6, 7});
  }
  std::vector<ScoreMask> masks;
  if (node.has_input(4)) add_padding_mask(node, 4, inputs, masks);
  if (node.has_input(5)) masks.push_back(mask_of(node, 5, inputs));
  if (node.flag("unidirectional")) {
    see_earlier(inputs, earlier, 0, masks);
  }
  finish(parts, node, inputs, std::move(masks), true, {.handed_out = handed_out(node)});
  Lowered lowered = std::move(parts).done();
  if (grows_in_place(node)) say_if_full(node, stated_length, earlier, lowered);
  return lowered;
}

constexpr std::size_t token_places = 4;

/// Rows of tokens, or of each head's q, k and v in turn.
std::vector<TensorFacts> packed_multi_head_shape(const NodeView& node) {
  const Dims& q = node.shape(0);
  if (q.empty()) throw Error("queries without axes");
  std::int64_t width = q.back();
  if (q.size() == 4) width *= q[1];
  if (node.has_input(2)) width = node.shape(2).at(1);
  return {{node.input(0).type, Dims{q[0], width}}};
}

/// Inputs 3 to 6: bias, the place of every token (sequences, length), where sequences begin, addend
/// of the scores. If there are as many tokens as places, all sequences have that length.
Lowered lower_packed_multi_head(const NodeView& node) {
  const Dims& places = node.shape(token_places);
  const Dims& q = node.shape(0);
  if (places.size() != 2 || q.size() < 2) throw Error("tokens of " + join(q, 'x'));
  if (q[0] != element_count(places)) {
    throw NotExpressible("which tokens are of one sequence is only known when it runs");
  }
  AttentionParts parts;
  AttentionInputs inputs;
  if (q.size() == 4) {
    if (node.has_input(qkv_bias)) throw NotExpressible("a bias of heads that share a tensor");
    if (q[1] != positive(node, "num_heads") || q[2] != 3) {
      throw NotExpressible("q, k and v in a tensor of " + join(q, 'x'));
    }
    const auto heads =
        heads_in_turn(parts, {places[0], places[1], q[1], q[2], q[3]}, from_input(0));
    inputs = {heads[0], heads[1], heads[2]};
  } else {
    std::int64_t offset = 0;
    const auto rows_of_tokens = [&](std::size_t index) {
      const Dims& dims = node.shape(index);
      const std::int64_t heads = head_count(node, "num_heads", dims.at(1));
      const Source rows = node.has_input(qkv_bias)
                              ? add_bias_part(parts, node, qkv_bias, index, offset)
                              : from_input(index);
      return parts.split(places[0], places[1], heads, dims[1] / heads, rows, dims[1]);
    };
    inputs.q = rows_of_tokens(0);
    inputs.k = rows_of_tokens(1);
    inputs.v = rows_of_tokens(2);
  }
  std::vector<ScoreMask> masks;
  if (node.has_input(6)) masks.push_back(mask_of(node, 6, inputs));
  finish(parts, node, inputs, std::move(masks), true);
  return std::move(parts).done();
}

constexpr std::size_t length_of_decoder = 7;
constexpr std::size_t bias_of_decoder = 10;

bool decoder_grows_in_place(const NodeView& node) {
  return node.flag("past_present_share_buffer") && node.has_input(5);
}

/// One query of each sequence, with its key and value, or with keys and values of another sequence.
std::vector<TensorFacts> decoder_masked_shape(const NodeView& node) {
  const Dims& q = rows_of_input(node, 0);
  const std::int64_t heads = positive(node, "num_heads");
  const int type = node.input(0).type;
  const bool packed = !node.has_input(1);
  const std::int64_t width = packed ? q.back() / 3 : q.back();
  std::int64_t v_width = width;
  std::int64_t length = q[1];
  if (node.has_input(2)) {
    const Dims& v = rows_of_input(node, 2);
    v_width = v.size() == 4 ? v[1] * v[3] : v.back();
    length = v.size() == 4 ? v[2] : v[1];
  }
  if (node.has_input(5)) {
    const bool shares = node.flag("past_present_share_buffer");
    length = node.shape(5).at(2) + (shares ? 0 : length);
  }
  return {{type, with_last(q, v_width)},
          {type, Dims{q[0], heads, length, width / heads}},
          {type, Dims{q[0], heads, length, v_width / heads}},
          {type, Dims{q[0], heads, q[1], length}}};
}

/// Inputs 3, 4 and 7: padding mask of keys, addend of the scores, and how many keys a buffer with
/// room for more holds: in an order of their own, which changes no size.
Lowered lower_decoder_masked(const NodeView& node) {
  AttentionParts parts;
  AttentionInputs inputs;
  if (node.has_input(1)) {
    inputs = separate_heads(parts, node, bias_of_decoder);
  } else {
    const Dims& dims = rows(node, 0);
    Source packed = from_input(0);
    std::int64_t offset = 0;
    if (node.has_input(bias_of_decoder)) {
      packed = add_bias_part(parts, node, bias_of_decoder, 0, offset);
    }
    if (dims[2] % 3 != 0) throw NotExpressible("values of another width in rows with their keys");
    inputs = heads_side_by_side(parts, node, dims[0], dims[1], Dims(3, dims[2] / 3), packed);
  }
  std::int64_t earlier = 0;
  if (decoder_grows_in_place(node)) {
    earlier = append_past_in_place(parts, node, {5, 6}, length_of_decoder, inputs);
  } else {
    append_past(parts, node, inputs, {5, 6});
  }
  std::vector<ScoreMask> masks;
  if (node.has_input(3)) add_padding_mask(node, 3, inputs, masks);
  if (node.has_input(4)) masks.push_back(mask_of(node, 4, inputs));
  finish(parts, node, inputs, std::move(masks), true, {.handed_out = handed_out(node)});
  Lowered lowered = std::move(parts).done();
  if (decoder_grows_in_place(node)) say_if_full(node, length_of_decoder, earlier, lowered);
  return lowered;
}

}  // namespace

void register_multi_head_attention(OperatorTable& table) {
  table.add("com.microsoft.MultiHeadAttention",
            {.shapes = {{multi_head_attention_shape}},
             .lower = lower_multi_head_attention,
             .parts =
                 [](const NodeView& node) {
                   return grows_in_place(node)
                              ? filled_rows(node, {6, 7}, 2, stated_length, new_rows(node))
                              : std::vector<PartRead>();
                 },
             .idle_attributes = {"mask_filter_value"}});
  table.add("com.microsoft.PackedMultiHeadAttention", {.shapes = {{packed_multi_head_shape}},
                                                       .lower = lower_packed_multi_head,
                                                       .idle_attributes = {"mask_filter_value"},
                                                       .idle_inputs = {4, 5}});
  table.add("com.microsoft.DecoderMaskedMultiHeadAttention",
            {.shapes = {{decoder_masked_shape}},
             .lower = lower_decoder_masked,
             .parts =
                 [](const NodeView& node) {
                   return decoder_grows_in_place(node)
                              ? filled_rows(node, {5, 6}, 2, length_of_decoder, new_rows(node))
                              : std::vector<PartRead>();
                 },
             .idle_attributes = {"mask_filter_value", "output_qk"},
             .idle_inputs = {length_of_decoder}});
}

}  // namespace benanza::onnx
