#include "core/base/error.h"
#include "generator/onnx/model/checked_math.h"
#include "generator/onnx/operators/shared/attention_inputs.h"
#include "generator/onnx/operators/shared/calls.h"

namespace benanza::onnx {
namespace {

/// Input (batch, length, hidden) and weights (hidden, q + k + v).
std::vector<TensorFacts> packed_attention_shape(const NodeView& node) {
  const Dims& input = rows_of_input(node, 0);
  if (node.shape(1).empty()) throw Error("weights without axes");
  const std::int64_t heads = positive(node, "num_heads");
  const auto sizes = node.integers("qkv_hidden_sizes");
  const std::int64_t hidden =
      sizes && sizes->size() == 3 ? sizes->back() : node.shape(1).back() / 3;
  const int type = node.input(0).type;
  std::vector<TensorFacts> facts{{type, with_last(input, hidden)}};
  const std::int64_t past = node.has_input(4) ? node.shape(4).at(3) : 0;
  facts.push_back({type, Dims{2, input[0], heads, past + input[1], hidden / heads}});
  return facts;
}

/// Starts with the projection to q, k and v by one weight.
Lowered lower_packed_attention(const NodeView& node) {
  if (node.has_input(4)) throw NotExpressible("keys and values of earlier runs in one tensor");
  if (node.integer("do_rotary", 0) != 0) throw NotExpressible("a rotation of q and k");
  const Dims& input = rows(node, 0);
  const Dims& weights = node.shape(1);
  if (weights.size() != 2) throw Error("weights of " + join(weights, 'x'));
  const Dims sizes = node.integers("qkv_hidden_sizes").value_or(Dims(3, weights[1] / 3));
  if (sizes.size() != 3 || sizes[0] + sizes[1] + sizes[2] != weights[1]) {
    throw Error("q, k and v do not fill the rows of " + std::to_string(weights[1]));
  }
  AttentionParts parts;
  Source packed = parts.add(matmul_call(node, {0, 1}, false, false));
  if (node.has_input(2)) {
    packed = parts.add(elementwise_call(BinaryKind::add,
                                        {{input[0] * input[1], weights[1]}, false, packed},
                                        {node.shape(2), node.input(2).constant, from_input(2)}));
  }
  std::int64_t offset = 0;
  const auto next = [&](std::int64_t width) {
    const std::int64_t heads = head_count(node, "num_heads", width);
    const Heads found =
        parts.split(input[0], input[1], heads, width / heads, packed, weights[1], offset);
    offset += width;
    return found;
  };
  AttentionInputs inputs;
  inputs.q = next(sizes[0]);
  inputs.k = next(sizes[1]);
  inputs.v = next(sizes[2]);
  std::vector<ScoreMask> masks;
  if (node.has_input(3)) add_padding_mask(node, 3, inputs, masks);
  if (node.has_input(5)) masks.push_back(mask_of(node, 5, inputs));
  if (node.integer("unidirectional", 0) != 0) see_earlier(inputs, 0, 0, masks);
  finish(parts, node, inputs, std::move(masks), true);
  return std::move(parts).done();
}

}  // namespace

void register_packed_attention(OperatorTable& table) {
  table.add("com.microsoft.Attention",
            {.shapes = {{packed_attention_shape}},
             .lower = lower_packed_attention,
             .idle_attributes = {"mask_filter_value", "past_present_share_buffer",
                                 "rotary_embedding_dim"},
             .idle_inputs = {6}});
}

}  // namespace benanza::onnx
