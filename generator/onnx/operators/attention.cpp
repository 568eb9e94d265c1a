#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "generator/onnx/model/checked_math.h"
#include "generator/onnx/operators/shared/attention_parts.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"
#include "generator/onnx/operators/shared/views.h"

/// Attention as its parts; the fusion "attention" adds one call that does the same. Boolean masks
/// are measured as the additive masks that they stand for.
namespace benanza::onnx {
namespace {

/// Extents of an input with at least three axes.
const Dims& rows_of_input(const NodeView& node, std::size_t index) {
  const Dims& dims = node.shape(index);
  if (dims.size() < 3) throw Error("input " + std::to_string(index) + " needs three axes");
  return dims;
}

Dims with_last(Dims dims, std::int64_t last) {
  dims.back() = last;
  return dims;
}

std::int64_t positive(const NodeView& node, std::string_view name) {
  const std::int64_t value = node.integer(name, 0);
  if (value < 1) throw Error("attribute \"" + std::string(name) + "\" must be at least 1");
  return value;
}

/// Attention of opset 23. q, k, v: (batch, heads, length, size) or (batch, length, heads * size).
/// Outputs: y, present key, present value, and the scores.
std::vector<TensorFacts> attention_shape(const NodeView& node) {
  const Dims& q = node.shape(0);
  const Dims& k = node.shape(1);
  const Dims& v = node.shape(2);
  if (q.size() != k.size() || k.size() != v.size() || (q.size() != 3 && q.size() != 4)) {
    throw Error("q, k and v need 3 or 4 axes each");
  }
  const bool flat = q.size() == 3;
  const std::int64_t q_heads = flat ? positive(node, "q_num_heads") : q[1];
  const std::int64_t kv_heads = flat ? positive(node, "kv_num_heads") : k[1];
  const std::int64_t k_size = flat ? k[2] / kv_heads : k[3];
  const std::int64_t v_size = flat ? v[2] / kv_heads : v[3];
  const std::int64_t q_length = flat ? q[1] : q[2];
  const std::int64_t past = node.has_input(4) ? node.shape(4).at(2) : 0;
  const std::int64_t length = past + (flat ? k[1] : k[2]);
  Dims y = flat ? Dims{q[0], q_length, checked_product(q_heads, v_size)}
                : Dims{q[0], q_heads, q_length, v_size};
  const int type = node.input(0).type;
  return {{type, y},
          {node.input(1).type, Dims{k[0], kv_heads, length, k_size}},
          {node.input(2).type, Dims{v[0], kv_heads, length, v_size}},
          {type, Dims{q[0], q_heads, q_length, length}}};
}

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

/// Query (batch, length, heads * size) with keys and values of fewer heads; or all packed in one.
std::vector<TensorFacts> group_query_attention_shape(const NodeView& node) {
  const Dims& q = rows_of_input(node, 0);
  const std::int64_t heads = positive(node, "num_heads");
  const std::int64_t kv_heads = positive(node, "kv_num_heads");
  const bool packed = !node.has_input(1);
  const std::int64_t size =
      packed ? q.back() / checked_sum(heads, checked_product(2, kv_heads)) : q.back() / heads;
  const std::int64_t past = node.has_input(3) ? node.shape(3).at(2) : 0;
  const Dims cache{q[0], kv_heads, past + q[1], size};
  const int type = node.input(0).type;
  return {{type, with_last(q, checked_product(heads, size))}, {type, cache}, {type, cache}};
}

struct Inputs {
  Heads q;
  Heads k;
  Heads v;
};

const Dims& rows(const NodeView& node, std::size_t index) {
  const Dims& dims = node.shape(index);
  if (dims.size() != 3) throw NotExpressible("an input of other than batch, length and heads");
  return dims;
}

std::int64_t head_count(const NodeView& node, std::string_view name, std::int64_t width) {
  const std::int64_t heads = node.integer(name, 0);
  if (heads < 1 || width % heads != 0) {
    throw Error("rows of " + std::to_string(width) + " do not divide into " +
                std::to_string(heads) + " heads");
  }
  return heads;
}

/// Heads of input `index`: separate if it has four axes, otherwise side by side in the rows.
Heads heads_of(AttentionParts& parts, const NodeView& node, std::size_t index,
               std::string_view name) {
  const Source source = from_input(static_cast<int>(index));
  if (node.shape(index).size() == 4) return {node.shape(index), source};
  const Dims& dims = rows(node, index);
  const std::int64_t heads = head_count(node, name, dims[2]);
  return parts.split(dims[0], dims[1], heads, dims[2] / heads, source, dims[2]);
}

/// Indices of past keys and values among the inputs; outputs 1 and 2 include the new ones.
struct Past {
  std::size_t key;
  std::size_t value;
};

/// `append`: what adds heads to earlier ones.
void append_past(AttentionParts& parts, const NodeView& node, Inputs& inputs, Past past,
                 Heads (AttentionParts::*append)(const Heads&, const Heads&,
                                                 int) = &AttentionParts::append) {
  if (!node.has_input(past.key) || !node.has_input(past.value)) return;
  const auto continued = [&](std::size_t index, const Heads& heads, int output) {
    return (parts.*append)({node.shape(index), from_input(static_cast<int>(index))}, heads, output);
  };
  inputs.k = continued(past.key, inputs.k, 1);
  inputs.v = continued(past.value, inputs.v, 2);
}

ScoreMask mask_of(const NodeView& node, std::size_t index, const Inputs& inputs) {
  const Dims& dims = node.shape(index);
  if (dims.empty() || (dims.back() != 1 && dims.back() != inputs.k.dims[2])) {
    throw NotExpressible("a mask of " + join(dims, 'x') + " for " +
                         std::to_string(inputs.k.dims[2]) + " keys");
  }
  return {node.shape(index), node.input(index).constant, from_input(static_cast<int>(index))};
}

/// A causal mask, which the framework creates once.
ScoreMask triangle(const Inputs& inputs) {
  return {{inputs.q.dims[2], inputs.k.dims[2]}, true, from_attribute()};
}

/// Whether keys too far before or after the query are masked (opset 25).
bool has_window(const NodeView& node) {
  return node.integer("left_window_size", -1) >= 0 || node.integer("right_window_size", -1) >= 0;
}

/// A band mask, which the framework creates once; its lower half, a causal mask with a window, if
/// nothing after the query is seen.
ScoreMask band(const NodeView& node, const Inputs& inputs) {
  ScoreMask mask = triangle(inputs);
  const bool is_lower =
      node.integer("is_causal", 0) != 0 || node.integer("right_window_size", -1) == 0;
  if (is_lower) {
    mask.source.window = node.integer("left_window_size", -1) + 1;
  } else {
    mask.source.index = 1;
  }
  return mask;
}

float scale_of(const NodeView& node, const Inputs& inputs) {
  const float usual = 1 / std::sqrt(static_cast<float>(inputs.q.dims[3]));
  const float stated = node.real("scale", 0);
  return stated == 0 ? usual : stated;
}

void finish(AttentionParts& parts, const NodeView& node, const Inputs& inputs,
            const std::vector<ScoreMask>& masks, bool side_by_side) {
  const Heads result = parts.attend(inputs.q, inputs.k, inputs.v, scale_of(node, inputs), masks);
  if (side_by_side) parts.join(result);
}

/// The standard operator.
Lowered lower_attention(const NodeView& node) {
  if (node.real("softcap", 0) != 0) throw NotExpressible("scores with a soft cap");
  if (node.has_output(3)) throw NotExpressible("hands out its scores");
  if (node.has_input(6)) throw NotExpressible("lengths that are only known when the model runs");
  AttentionParts parts;
  Inputs inputs{heads_of(parts, node, 0, "q_num_heads"), heads_of(parts, node, 1, "kv_num_heads"),
                heads_of(parts, node, 2, "kv_num_heads")};
  append_past(parts, node, inputs, {4, 5});
  std::vector<ScoreMask> masks;
  if (node.has_input(3)) masks.push_back(mask_of(node, 3, inputs));
  if (has_window(node)) {
    masks.push_back(band(node, inputs));
  } else if (node.integer("is_causal", 0) != 0) {
    masks.push_back(triangle(inputs));
  }
  finish(parts, node, inputs, masks, node.shape(0).size() == 3);
  return std::move(parts).done();
}

/// Inputs 3 to 5: bias of q, k and v (unsupported), padding mask of keys, addend of the scores.
Lowered lower_multi_head_attention(const NodeView& node) {
  if (!node.has_input(1) || !node.has_input(2)) throw NotExpressible("q, k and v in one tensor");
  if (node.has_input(3)) throw NotExpressible("a bias of q, k and v");
  const Dims& q = rows(node, 0);
  AttentionParts parts;
  Inputs inputs{heads_of(parts, node, 0, "num_heads"), heads_of(parts, node, 1, "num_heads"),
                heads_of(parts, node, 2, "num_heads")};
  append_past(parts, node, inputs, {6, 7});
  std::vector<ScoreMask> masks;
  if (node.has_input(4)) {
    if (node.shape(4) != Dims{q[0], inputs.k.dims[2]}) {
      throw NotExpressible("a padding mask of " + join(node.shape(4), 'x'));
    }
    masks.push_back({{q[0], 1, 1, inputs.k.dims[2]}, node.input(4).constant, from_input(4)});
  }
  if (node.has_input(5)) masks.push_back(mask_of(node, 5, inputs));
  if (node.integer("unidirectional", 0) != 0) masks.push_back(triangle(inputs));
  finish(parts, node, inputs, masks, true);
  return std::move(parts).done();
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
  Inputs inputs;
  inputs.q = next(sizes[0]);
  inputs.k = next(sizes[1]);
  inputs.v = next(sizes[2]);
  std::vector<ScoreMask> masks;
  if (node.has_input(3)) {
    if (node.shape(3) != Dims{input[0], input[1]}) {
      throw NotExpressible("a mask of " + join(node.shape(3), 'x'));
    }
    masks.push_back({{input[0], 1, 1, input[1]}, node.input(3).constant, from_input(3)});
  }
  if (node.has_input(5)) masks.push_back(mask_of(node, 5, inputs));
  if (node.integer("unidirectional", 0) != 0) masks.push_back(triangle(inputs));
  finish(parts, node, inputs, masks, true);
  return std::move(parts).done();
}

/// q, k and v of separate inputs, or side by side in the rows of the first.
Inputs grouped_heads(AttentionParts& parts, const NodeView& node) {
  if (node.has_input(1) && node.has_input(2)) {
    return {heads_of(parts, node, 0, "num_heads"), heads_of(parts, node, 1, "kv_num_heads"),
            heads_of(parts, node, 2, "kv_num_heads")};
  }
  const Dims& dims = rows(node, 0);
  const std::int64_t heads = positive(node, "num_heads");
  const std::int64_t kv_heads = positive(node, "kv_num_heads");
  const std::int64_t size = dims[2] / checked_sum(heads, checked_product(2, kv_heads));
  std::int64_t offset = 0;
  const auto next = [&](std::int64_t count) {
    const Heads found = parts.split(dims[0], dims[1], count, size, from_input(0), dims[2], offset);
    offset += count * size;
    return found;
  };
  Inputs inputs;
  inputs.q = next(heads);
  inputs.k = next(kv_heads);
  inputs.v = next(kv_heads);
  return inputs;
}

/// Leaves the last `window` keys and values, which are read where they are; 0: all.
void see_last(Inputs& inputs, std::int64_t window) {
  if (window == 0) return;
  for (Heads* const heads : {&inputs.k, &inputs.v}) {
    heads->dims[2] = std::min(heads->dims[2], window);
  }
}

/// By the rows of the tables (inputs 7 and 8) that belong to the positions.
void rotate_heads(AttentionParts& parts, const NodeView& node, Inputs& inputs) {
  if (!node.has_input(7) || !node.has_input(8)) throw Error("rotates without cosines and sines");
  const Dims& cosines = node.shape(7);
  if (cosines.empty()) throw Error("rotates by cosines without axes");
  const bool interleaved = node.integer("rotary_interleaved", 0) != 0;
  for (Heads* const heads : {&inputs.q, &inputs.k}) {
    *heads = parts.rotate(*heads, 2 * cosines.back(), interleaved, from_input(7), from_input(8));
  }
}

/// Causal, with fewer heads for keys and values, and with a window the last so many keys. Earlier
/// keys and values share their memory with the outputs, as ONNX Runtime has them: only new ones are
/// written.
Lowered lower_group_query_attention(const NodeView& node) {
  if (node.real("softcap", 0) != 0) throw NotExpressible("scores with a soft cap");
  if (node.integer("smooth_softmax", 0) == 1 || node.has_input(11)) {
    throw NotExpressible("a softmax with another term");
  }
  AttentionParts parts;
  Inputs inputs = grouped_heads(parts, node);
  if (node.integer("do_rotary", 0) != 0) rotate_heads(parts, node, inputs);
  append_past(parts, node, inputs, {3, 4}, &AttentionParts::append_in_place);
  const std::int64_t window = std::max<std::int64_t>(0, node.integer("local_window_size", -1));
  std::vector<ScoreMask> masks;
  if (inputs.q.dims[2] == 1) {
    // The last query of all sees every key, or those of its window.
    see_last(inputs, window);
  } else {
    masks.push_back(triangle(inputs));
    masks.front().source.window = window;
  }
  if (node.has_input(10)) masks.push_back(mask_of(node, 10, inputs));
  finish(parts, node, inputs, masks, true);
  return std::move(parts).done();
}

}  // namespace

void register_attention(OperatorTable& table) {
  table.add("Attention", {.shapes = {{attention_shape}}, .lower = lower_attention});
  table.add("com.microsoft.MultiHeadAttention",
            {.shapes = {{multi_head_attention_shape}}, .lower = lower_multi_head_attention});
  table.add("com.microsoft.Attention",
            {.shapes = {{packed_attention_shape}}, .lower = lower_packed_attention});
  table.add("com.microsoft.GroupQueryAttention",
            {.shapes = {{group_query_attention_shape}}, .lower = lower_group_query_attention});
}

}  // namespace benanza::onnx
