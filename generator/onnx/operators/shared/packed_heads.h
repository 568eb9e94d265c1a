#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "generator/onnx/operators/shared/attention_parts.h"

/// Queries, keys and values that share a tensor.
namespace benanza::onnx {

/// Those of rows (of `batch`, `length`) that hold all heads of q, then of k, then of v, so many
/// elements each.
AttentionInputs heads_side_by_side(AttentionParts& parts, const NodeView& node, std::int64_t batch,
                                   std::int64_t length, const Dims& sizes, Source source);

/// Those of rows that hold for each head `dims[3]` of them in turn: batch, length, heads, how many,
/// size.
std::vector<Heads> heads_in_turn(AttentionParts& parts, const Dims& dims, Source source);

/// Input `index`, if it is there: earlier keys, then earlier values (2 x batch x heads x length x
/// size), continued in output 1. Returns how many there are. With attribute
/// past_present_share_buffer, output and input share their memory, of which input `length_index`
/// says how many are earlier ones; taken to be all that leave room for the new ones unless its
/// value is known.
std::int64_t append_past_of_both(AttentionParts& parts, const NodeView& node, std::size_t index,
                                 std::size_t length_index, AttentionInputs& inputs);

/// The same of keys and values in tensors of their own, continued in outputs 1 and 2.
std::int64_t append_past_in_place(AttentionParts& parts, const NodeView& node, Past past,
                                  std::size_t length_index, AttentionInputs& inputs);

/// Of such buffers (`inputs`, whose length is axis `axis`), the rows that are filled: as many as
/// input `length_index` says, or else all that leave room for `added` new ones.
std::vector<PartRead> filled_rows(const NodeView& node, std::initializer_list<std::size_t> inputs,
                                  std::size_t axis, std::size_t length_index, std::int64_t added);

inline constexpr const char* full_caches_reason = "its sequences are taken to fill the caches";
/// Gives this as the reason of a layer with such buffers if it is not known how many rows are
/// earlier ones, which are then taken to be `earlier`.
void say_if_full(const NodeView& node, std::size_t length_index, std::int64_t earlier,
                 Lowered& lowered);

/// Extents of output 1, if input `index` is there or not.
Dims present_of_both(const NodeView& node, std::size_t index, const Dims& new_keys);

}  // namespace benanza::onnx
