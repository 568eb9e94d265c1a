#include "core/base/error.h"
#include "generator/onnx/model/checked_math.h"
#include "generator/onnx/operators/shared/attention_inputs.h"
#include "generator/onnx/operators/shared/calls.h"

namespace benanza::onnx {
namespace {

/// Query (batch, length, hidden), key, value; or packed QKV with five axes.
std::vector<TensorFacts> multi_head_attention_shape(const NodeView& node) {
  const Dims& q = rows_of_input(node, 0);
  if (q.size() == 5) return {{node.input(0).type, Dims{q[0], q[1], q[2] * q[4]}}};
  const std::int64_t heads = positive(node, "num_heads");
  std::int64_t hidden = q.back();
  std::int64_t k_length = q[1];
  std::int64_t v_size = hidden / heads;
  if (node.has_input(1)) {
    const Dims& k = rows_of_input(node, 1);
    k_length = k.size() == 4 ? k[2] : k[1];
  }
  if (node.has_input(2)) {
    const Dims& v = rows_of_input(node, 2);
    v_size = v.size() == 4 ? v[3] : v.back() / heads;
    hidden = checked_product(v_size, heads);
  }
  const std::int64_t past = node.has_input(6) ? node.shape(6).at(2) : 0;
  const int type = node.input(0).type;
  return {{type, with_last(q, hidden)},
          {type, Dims{q[0], heads, past + k_length, q.back() / heads}},
          {type, Dims{q[0], heads, past + k_length, v_size}}};
}

constexpr std::size_t qkv_bias = 3;

/// Heads of input `index`, to whose rows the part of the bias that begins at `offset` is added.
Heads biased_heads(AttentionParts& parts, const NodeView& node, std::size_t index,
                   std::int64_t& offset) {
  if (!node.has_input(qkv_bias)) return heads_of(parts, node, index, "num_heads");
  const Dims& dims = rows(node, index);
  Source bias = from_input(qkv_bias);
  bias.part_from = offset;
  offset += dims[2];
  if (node.elements(qkv_bias) < offset) throw Error("a bias shorter than the rows of q, k and v");
  const Source sum = parts.add(elementwise_call(BinaryKind::add,
                                                {dims, false, from_input(static_cast<int>(index))},
                                                {{dims[2]}, node.input(qkv_bias).constant, bias}));
  const std::int64_t heads = head_count(node, "num_heads", dims[2]);
  return parts.split(dims[0], dims[1], heads, dims[2] / heads, sum, dims[2]);
}

/// Inputs 3 to 5: bias of q, k and v, padding mask of keys, addend of the scores.
Lowered lower_multi_head_attention(const NodeView& node) {
  if (!node.has_input(1) || !node.has_input(2)) throw NotExpressible("q, k and v in one tensor");
  AttentionParts parts;
  std::int64_t offset = 0;
  AttentionInputs inputs;
  inputs.q = biased_heads(parts, node, 0, offset);
  inputs.k = biased_heads(parts, node, 1, offset);
  inputs.v = biased_heads(parts, node, 2, offset);
  append_past(parts, node, inputs, {6, 7});
  std::vector<ScoreMask> masks;
  if (node.has_input(4)) add_padding_mask(node, 4, inputs, masks);
  if (node.has_input(5)) masks.push_back(mask_of(node, 5, inputs));
  if (node.integer("unidirectional", 0) != 0) {
    see_earlier(inputs, node.has_input(6) ? node.shape(6).at(2) : 0, 0, masks);
  }
  finish(parts, node, inputs, std::move(masks), true);
  return std::move(parts).done();
}

}  // namespace

void register_multi_head_attention(OperatorTable& table) {
  table.add("com.microsoft.MultiHeadAttention", {.shapes = {{multi_head_attention_shape}},
                                                 .lower = lower_multi_head_attention,
                                                 .idle_attributes = {"mask_filter_value"}});
}

}  // namespace benanza::onnx
