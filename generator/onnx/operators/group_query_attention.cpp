#include <algorithm>
#include <optional>

#include "core/base/error.h"
#include "generator/onnx/model/node_view.h"
#include "generator/onnx/operators/shared/attention_parts.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/grouped_cache.h"
#include "generator/onnx/operators/shared/packed_heads.h"

namespace benanza::onnx {
namespace {

/// Query (batch, length, heads * size) with keys and values of fewer heads; or all packed in one.
/// The cache keeps its type, and rows of its own length if it holds several numbers in a byte.
std::vector<TensorFacts> group_query_attention_shape(const NodeView& node) {
  const Dims& q = rows_of_input(node, 0);
  const std::int64_t heads = positive(node, "num_heads");
  const std::int64_t kv_heads = positive(node, "kv_num_heads");
  const bool packed = !node.has_input(1);
  const std::int64_t size =
      packed ? q.back() / checked_sum(heads, checked_product(2, kv_heads)) : q.back() / heads;
  const int type = node.input(0).type;
  const GroupedCache cache = cache_of(node);
  const auto present = [&](std::size_t past) -> TensorFacts {
    if (!node.has_input(past)) return {type, Dims{q[0], kv_heads, cache.capacity, size}};
    return {node.input(past).type, Dims{q[0], kv_heads, cache.capacity, node.shape(past).back()}};
  };
  return {{type, with_last(q, checked_product(heads, size))},
          present(past_key),
          present(past_value),
          {type, Dims{q[0], heads, q[1], cache.keys}}};
}

/// q, k and v of separate inputs, or side by side in the rows of the first; without new keys and
/// values q alone.
AttentionInputs grouped_heads(AttentionParts& parts, const NodeView& node) {
  if (new_rows(node) == 0) return {heads_of(parts, node, 0, "num_heads"), {}, {}};
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
  AttentionInputs inputs;
  inputs.q = next(heads);
  inputs.k = next(kv_heads);
  inputs.v = next(kv_heads);
  return inputs;
}

/// Normalizes the rows of q and k, before they are rotated.
void normalize_heads(AttentionParts& parts, const NodeView& node, AttentionInputs& inputs) {
  if (!node.has_input(14) && !node.has_input(15)) return;
  const float both = node.real("qk_norm_epsilon", 1e-6F);
  inputs.q = parts.normalize(inputs.q, node.real("q_norm_epsilon", both), from_input(14));
  if (inputs.k.dims.empty()) return;
  inputs.k = parts.normalize(inputs.k, node.real("k_norm_epsilon", both), from_input(15));
}

/// Tokens before the new ones.
std::int64_t first_position(const NodeView& node) {
  const std::int64_t length = rows_of_input(node, 0)[1];
  const std::int64_t past = node.has_input(past_key) ? node.shape(past_key).at(2) : 0;
  return std::max(length, stated_total(node).value_or(past + new_rows(node))) - length;
}

/// By the rows of the tables (inputs 7 and 8) that belong to the positions.
void rotate_heads(AttentionParts& parts, const NodeView& node, AttentionInputs& inputs) {
  if (!node.has_input(7) || !node.has_input(8)) throw Error("rotates without cosines and sines");
  const Dims& cosines = node.shape(7);
  if (cosines.empty()) throw Error("rotates by cosines without axes");
  const std::int64_t rotated = 2 * cosines.back();
  const std::int64_t stated = node.integer("rotary_embedding_dim", 0);
  if (stated != 0 && stated != rotated) {
    throw Error("rotary_embedding_dim is " + std::to_string(stated) + ", and the cosines are for " +
                std::to_string(rotated) + " elements of a row");
  }
  const bool interleaved = node.flag("rotary_interleaved");
  const auto rows_of = [&](int table) {
    Source rows = from_input(table);
    if (const std::int64_t first = first_position(node); first > 0) {
      rows.part_from = first * cosines.back();
    }
    return rows;
  };
  for (Heads* const heads : {&inputs.q, &inputs.k}) {
    if (heads->dims.empty()) continue;
    *heads = parts.rotate(*heads, rotated, interleaved, rows_of(7), rows_of(8));
  }
}

/// All of the cache, where nothing is new.
Heads cached_heads(const NodeView& node, std::size_t past, const GroupedCache& cache) {
  if (!node.has_input(past)) throw NotExpressible("neither new nor earlier keys and values");
  Heads all{node.shape(past), from_input(past)};
  if (all.dims.size() != 4 || all.dims[1] != positive(node, "kv_num_heads")) {
    throw Error("a cache of " + join(all.dims, 'x'));
  }
  all.dims[2] = cache.keys;
  if (cache.keys != cache.capacity) all.source.matrix_rows = cache.capacity;
  return all;
}

/// Earlier keys and values share their memory with the outputs, as ONNX Runtime has them: only new
/// ones are written.
void append_new(AttentionParts& parts, const NodeView& node, AttentionInputs& inputs,
                const GroupedCache& cache) {
  if (inputs.k.dims.empty()) {
    inputs.k = cached_heads(node, past_key, cache);
    inputs.v = cached_heads(node, past_value, cache);
    return;
  }
  if (!node.has_input(past_key) || !node.has_input(past_value)) {
    return hand_out_new(parts, node, inputs);
  }
  if (inputs.k.dims[2] > cache.capacity) throw NotExpressible("more new keys than its cache holds");
  const auto continued = [&](std::size_t past, const Heads& heads, int output) {
    Heads all =
        parts.append_in_place({node.shape(past), from_input(past)}, heads, cache.start, output);
    all.dims[2] = cache.keys;
    if (cache.keys != cache.capacity) all.source.matrix_rows = cache.capacity;
    return all;
  };
  inputs.k = continued(past_key, inputs.k, 1);
  inputs.v = continued(past_value, inputs.v, 2);
}

/// Runtimes refuse a cache that holds less than its window.
void check_window(const NodeView& node) {
  if (!node.flag("sliding_window_cache")) return;
  const std::int64_t window = node.integer("local_window_size", -1);
  const std::int64_t past = node.has_input(past_key) ? node.shape(past_key).at(2) : 0;
  if (window >= 1 && past >= window) return;
  throw NotExpressible("a cache of " + std::to_string(past) + " keys for a window of " +
                       std::to_string(window));
}

/// A cache that holds converted keys and values, in the memory of the outputs: new ones are
/// converted before they join it, and all that are seen before they are multiplied. As bytes: which
/// 8 bits they are changes no size.
void append_converted(AttentionParts& parts, const NodeView& node, AttentionInputs& inputs,
                      const GroupedCache& cache) {
  const std::int64_t seen = seen_keys(node, cache);
  const auto converted = [&](std::size_t past, Heads heads) {
    heads.dims[2] = seen;
    Call read = call(Quantization{.kind = QuantizationKind::dequantize, .input = heads.dims},
                     {from_input(past)});
    read.is_proxy = true;
    heads.source = parts.add(std::move(read));
    return heads;
  };
  const auto continued = [&](std::size_t past, const Heads& heads, int output) {
    if (heads.dims.empty()) return converted(past, cached_heads(node, past, cache));
    Call stored =
        call(Quantization{.kind = QuantizationKind::quantize, .input = heads.dims}, {heads.source});
    stored.output = output;
    stored.is_proxy = true;
    stored.in_place = true;
    stored.into = static_cast<int>(past);
    parts.add(std::move(stored));
    return cache.keys == heads.dims[2] ? heads : converted(past, heads);
  };
  inputs.k = continued(past_key, inputs.k, 1);
  inputs.v = continued(past_value, inputs.v, 2);
}

/// How keys and values of earlier runs are stored, if not as the floats they are; empty otherwise.
std::string stored_cache(const NodeView& node) {
  const std::int64_t bits = node.integer("kv_cache_bit_width", 0);
  for (const auto& [past, mode] : {std::pair(past_key, node.text("k_quant_type", "NONE")),
                                   std::pair(past_value, node.text("v_quant_type", "NONE"))}) {
    if (!node.has_input(past)) continue;
    const int type = node.input(past).type;
    if (is_floating(type) && mode == "NONE") continue;
    if (bits == 4) return "4-bit numbers";
    return type_name(type);
  }
  return "";
}

/// Whether both caches have 8 bits for each number.
bool is_of_bytes(const NodeView& node) {
  const auto has_bytes = [&](std::size_t past) {
    return node.has_input(past) && type_bits(node.input(past).type) == 8;
  };
  return node.integer("kv_cache_bit_width", 0) != 4 && has_bytes(past_key) && has_bytes(past_value);
}

/// Why no library here does it, nor calls of several; empty if some do.
std::string refusal(const NodeView& node) {
  const GroupedCache cache = cache_of(node);
  const bool sees_part = seen_keys(node, cache) < cache.keys;
  if (node.has_output(3) && sees_part && rows_of_input(node, 0)[1] == 1) {
    return "hands out scores of keys that no query sees";
  }
  const std::string stored = stored_cache(node);
  if (stored.empty()) return "";
  if (!is_of_bytes(node)) return "no library here reads keys and values stored as " + stored;
  if (sees_part && node.has_input(10)) return "addends of more keys than those of its window";
  return "";
}

/// The inputs that hold earlier keys and values alone.
std::vector<std::size_t> full_caches(const NodeView& node, const GroupedCache& cache) {
  std::vector<std::size_t> full;
  const std::int64_t earlier = cache.keys - std::min(new_rows(node), cache.keys);
  for (const std::size_t past : {past_key, past_value}) {
    if (node.has_input(past) && earlier == node.shape(past)[2]) full.push_back(past);
  }
  return full;
}

/// Of caches with room for more, the rows that the first query sees.
std::vector<PartRead> seen_rows(const NodeView& node) {
  const GroupedCache cache = cache_of(node);
  const std::int64_t window = node.integer("local_window_size", -1);
  const std::int64_t added = std::min(new_rows(node), cache.keys);
  std::int64_t earlier = cache.keys - added;
  if (window > 0) {
    earlier = std::min(earlier, window - 1 + (added == 0 ? rows_of_input(node, 0)[1] : 0));
  }
  std::vector<PartRead> parts;
  for (const std::size_t past : {past_key, past_value}) {
    if (!node.has_input(past)) continue;
    const std::int64_t all = node.shape(past).at(2);
    if (earlier < 1 || earlier >= all) continue;
    parts.push_back({.input = past, .least = earlier, .most = earlier, .of = all});
  }
  return parts;
}

Lowered refused(const NodeView& node, std::string reason) {
  const GroupedCache cache = cache_of(node);
  const std::int64_t seen = seen_keys(node, cache);
  const std::int64_t earlier = seen - std::min(new_rows(node), seen);
  constexpr std::int64_t single_bytes = 4;
  const Compulsory moved = least_traffic(node);
  Lowered layer;
  layer.reason = std::move(reason);
  layer.least_bytes = static_cast<double>(moved.inputs.bytes_at(single_bytes) +
                                          moved.outputs.bytes_at(single_bytes));
  for (const std::size_t past : {past_key, past_value}) {
    if (node.has_input(past) && earlier == node.shape(past)[2]) layer.reads_whole.push_back(past);
  }
  return layer;
}

/// One more term of each head's softmax, or of all e^0.
std::optional<Source> sink_of(const NodeView& node, const AttentionInputs& inputs) {
  constexpr std::size_t head_sink = 11;
  const bool smooth = node.integer("smooth_softmax", 0) == 1;
  if (!node.has_input(head_sink)) {
    return smooth ? std::optional(from_attribute(Source::zeros)) : std::nullopt;
  }
  if (node.shape(head_sink) != Dims{inputs.q.dims[1]}) {
    throw NotExpressible("sinks of " + join(node.shape(head_sink), 'x') + " for " +
                         std::to_string(inputs.q.dims[1]) + " heads");
  }
  return from_input(head_sink);
}

/// Causal, with fewer heads for keys and values, and with a window the last so many keys.
Lowered lower_group_query_attention(const NodeView& node) {
  if (node.has_input(16)) throw NotExpressible("rows of which some are padding");
  check_window(node);
  if (std::string reason = refusal(node); !reason.empty()) return refused(node, std::move(reason));
  AttentionParts parts;
  AttentionInputs inputs = grouped_heads(parts, node);
  normalize_heads(parts, node, inputs);
  if (node.flag("do_rotary")) rotate_heads(parts, node, inputs);
  const GroupedCache cache = cache_of(node);
  const bool converts = !stored_cache(node).empty();
  (converts ? append_converted : append_new)(parts, node, inputs, cache);
  std::vector<ScoreMask> masks;
  const std::int64_t window = std::max<std::int64_t>(0, node.integer("local_window_size", -1));
  if (!node.flag("causal", true)) {
    if (window != 0) throw NotExpressible("a window on both sides of the query");
  } else {
    see_earlier(inputs, inputs.k.dims[2] - inputs.q.dims[2], window, masks, node.has_output(3));
  }
  if (node.has_input(10)) {
    masks.push_back(mask_of(node, 10, inputs, cache.keys));
  }
  Scores steps{.sink = sink_of(node, inputs)};
  if (node.has_output(3)) {
    using enum ScoreOutput::Behind;
    steps.handed_out = ScoreOutput{node.integer("qk_output", 0) == 2 ? softmax : masks};
  }
  finish(parts, node, inputs, std::move(masks), true, std::move(steps));
  Lowered lowered = std::move(parts).done();
  if (converts) {
    if (!is_floating(node.input(0).type)) throw NotExpressible("queries that are no floats");
    lowered.types = Types::checked_by_lowering;
    lowered.compulsory = least_traffic(node);
  }
  if (window == 0 || window - 1 + inputs.q.dims[2] >= cache.keys)
    lowered.reads_whole = full_caches(node, cache);
  if (new_rows(node) == 0) lowered.unwritten = {1, 2};
  if (is_taken_to_be_full(node)) lowered.reason = full_caches_reason;
  lowered.taken = taken_lengths(node, cache);
  return lowered;
}

}  // namespace

// Lengths and positions, tables of a rotation that it does not do, and scales of a cache that is
// not quantized change nothing.
void register_group_query_attention(OperatorTable& table) {
  table.add("com.microsoft.GroupQueryAttention",
            {.shapes = {{group_query_attention_shape}},
             .lower = lower_group_query_attention,
             .parts = seen_rows,
             .idle_attributes = {"k_norm_epsilon", "kv_cache_bit_width", "q_norm_epsilon",
                                 "qk_norm_epsilon", "qk_output", "rotary_embedding_dim",
                                 "rotary_interleaved"},
             .idle_inputs = {5, 6, 7, 8, 9, 12, 13}});
}

}  // namespace benanza::onnx
