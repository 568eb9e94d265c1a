#include <algorithm>
#include <optional>

#include "core/base/error.h"
#include "generator/onnx/model/node_view.h"
#include "generator/onnx/operators/shared/attention_parts.h"

/// Attention as its parts; the fusion "attention" adds one call that does the same. Boolean masks
/// are measured as the additive masks that they stand for.
namespace benanza::onnx {
namespace {

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

constexpr std::size_t seen_lengths = 6;

/// Whether lengths are given that nobody states: sequences are taken to fill their keys.
bool fills_keys(const NodeView& node) {
  return node.has_input(seen_lengths) && !node.input(seen_lengths).literal;
}

/// Keys of the longest sequence that are no padding; all where the node does not say.
std::int64_t seen_keys(const NodeView& node) {
  const Dims& k = node.shape(1);
  const std::int64_t all = k.at(k.size() == 3 ? 1 : 2);
  if (!node.has_input(seen_lengths) || fills_keys(node)) return all;
  if (node.has_input(4)) throw NotExpressible("lengths of earlier keys and values");
  std::int64_t most = 0;
  for (const std::int64_t length : node.integers(seen_lengths)) most = std::max(most, length);
  if (most < 1 || most > all) {
    throw Error(std::to_string(most) + " of " + std::to_string(all) +
                " keys are said to be filled");
  }
  return most;
}

/// Of keys and values with room for more, those that are filled.
std::vector<PartRead> filled_keys(const NodeView& node) {
  if (!node.has_input(seen_lengths) || fills_keys(node)) return {};
  const Dims& k = node.shape(1);
  const std::int64_t room = k.at(k.size() == 3 ? 1 : 2);
  std::int64_t filled = 0;
  std::int64_t all = 0;
  for (const std::int64_t length : node.integers(seen_lengths)) {
    filled = checked_sum(filled, std::clamp<std::int64_t>(length, 0, room));
    all = checked_sum(all, room);
  }
  if (filled < 1 || filled >= all) return {};
  return {{.input = 1, .least = filled, .most = filled, .of = all},
          {.input = 2, .least = filled, .most = filled, .of = all}};
}

/// The first `seen` rows of the heads of input `index`; of one sequence, only these are copied.
Heads first_heads(AttentionParts& parts, const NodeView& node, std::size_t index,
                  std::int64_t seen) {
  const Dims& dims = node.shape(index);
  if (dims.size() == 3 && dims[0] == 1) {
    const std::int64_t heads = head_count(node, "kv_num_heads", dims[2]);
    return parts.split(1, seen, heads, dims[2] / heads, from_input(index), dims[2]);
  }
  return some_rows(heads_of(parts, node, index, "kv_num_heads"), 0, seen);
}

/// A band mask around the diagonal, which the framework creates once.
ScoreMask band(const AttentionInputs& inputs) {
  return {{inputs.q.dims[2], inputs.k.dims[2]}, true, from_attribute(Source::band)};
}

/// Position 0 is that of the first earlier key, where the new ones are the last of those that are
/// filled. With a window, keys too far before or after the
/// query are masked (opset 25).
void mask_positions(const NodeView& node, AttentionInputs& inputs, std::vector<ScoreMask>& masks) {
  const std::int64_t left = node.integer("left_window_size", -1);
  const std::int64_t right = node.integer("right_window_size", -1);
  std::int64_t past = node.has_input(4) ? node.shape(4).at(2) : 0;
  if (node.has_input(seen_lengths)) past = inputs.k.dims[2] - inputs.q.dims[2];
  if (past < 0) throw NotExpressible("queries that see no key");
  if (node.flag("is_causal") || right == 0) {
    see_earlier(inputs, past, left + 1, masks, node.has_output(3));
  } else if (left >= 0 || right > 0) {
    masks.push_back(band(inputs));
  }
}

std::optional<ScoreOutput> handed_out(const NodeView& node) {
  using enum ScoreOutput::Behind;
  if (!node.has_output(3)) return std::nullopt;
  switch (node.integer("qk_matmul_output_mode", 0)) {
    case 0:
      return ScoreOutput{product};
    case 1:
      return ScoreOutput{masks};
    case 2:
      return ScoreOutput{cap};
    case 3:
      return ScoreOutput{softmax};
    default:
      throw Error("a qk_matmul_output_mode that is none of 0 to 3");
  }
}

/// The standard operator.
Lowered lower_attention(const NodeView& node) {
  const std::int64_t seen = seen_keys(node);
  AttentionParts parts;
  AttentionInputs inputs{heads_of(parts, node, 0, "q_num_heads"), first_heads(parts, node, 1, seen),
                         first_heads(parts, node, 2, seen)};
  append_past(parts, node, inputs, {4, 5});
  std::vector<ScoreMask> masks;
  if (node.has_input(3)) {
    masks.push_back(
        mask_of(node, 3, inputs, node.has_input(seen_lengths) && inputs.q.dims[2] == 1 ? seen : 0));
  }
  mask_positions(node, inputs, masks);
  finish(parts, node, inputs, std::move(masks), node.shape(0).size() == 3,
         {.handed_out = handed_out(node)});
  Lowered lowered = std::move(parts).done();
  if (fills_keys(node)) {
    lowered.reason = "its sequences are taken to fill the keys";
    lowered.taken = {{seen_lengths, seen}};
  }
  return lowered;
}

}  // namespace

void register_attention(OperatorTable& table) {
  table.add("Attention", {.shapes = {{attention_shape}},
                          .lower = lower_attention,
                          .parts = filled_keys,
                          .idle_attributes = {"kv_num_heads", "q_num_heads",
                                              "qk_matmul_output_mode", "softmax_precision"}});
}

}  // namespace benanza::onnx
