#include "generator/onnx/operators/shared/packed_heads.h"

#include <algorithm>
#include <optional>

#include "core/base/error.h"
#include "generator/onnx/operators/shared/calls.h"

namespace benanza::onnx {
namespace {

bool shares_buffer(const NodeView& node) { return node.flag("past_present_share_buffer"); }

/// Earlier keys that the model states; empty if it does not.
std::optional<std::int64_t> stated_past(const NodeView& node, std::size_t length_index) {
  if (!node.has_input(length_index) || !node.input(length_index).literal ||
      node.input(length_index).assumption) {
    return std::nullopt;
  }
  const Dims values = node.integers(length_index);
  return values.size() == 1 ? std::optional(values.front()) : std::nullopt;
}

/// Where `added` rows go in a buffer of `capacity`: behind those that the model states, or else to
/// its end.
std::int64_t first_free_row(const NodeView& node, std::size_t length_index, std::int64_t capacity,
                            std::int64_t added) {
  if (added > capacity) throw NotExpressible("more new keys than its cache holds");
  return std::clamp<std::int64_t>(stated_past(node, length_index).value_or(capacity - added), 0,
                                  capacity - added);
}

/// The part of input `index` with the keys (0) or the values (1).
Heads part_of_past(const NodeView& node, std::size_t index, std::int64_t which) {
  const Dims& all = node.shape(index);
  Source source = from_input(index);
  const Dims dims(all.begin() + 1, all.end());
  source.part_from = which * element_count(dims);
  return {dims, source};
}

/// Output 1 has the keys, then the values, and nothing else.
void hand_out_both(AttentionParts& parts, const AttentionInputs& inputs) {
  std::int64_t first = 0;
  for (const Heads* const heads : {&inputs.k, &inputs.v}) {
    View place = dense_view(heads->dims);
    place.offset = first;
    Call copy = copy_call(dense_view(heads->dims), place, 1);
    copy.operands = {heads->source};
    copy.writes_part = true;
    parts.add(std::move(copy));
    first += element_count(heads->dims);
  }
}

}  // namespace

AttentionInputs heads_side_by_side(AttentionParts& parts, const NodeView& node, std::int64_t batch,
                                   std::int64_t length, const Dims& sizes, Source source) {
  const std::int64_t row = sizes.at(0) + sizes.at(1) + sizes.at(2);
  std::int64_t offset = 0;
  const auto next = [&](std::int64_t width) {
    const std::int64_t heads = head_count(node, "num_heads", width);
    const Heads found = parts.split(batch, length, heads, width / heads, source, row, offset);
    offset += width;
    return found;
  };
  AttentionInputs inputs;
  inputs.q = next(sizes[0]);
  inputs.k = next(sizes[1]);
  inputs.v = next(sizes[2]);
  return inputs;
}

std::vector<Heads> heads_in_turn(AttentionParts& parts, const Dims& dims, Source source) {
  const std::int64_t size = dims.at(4);
  const std::int64_t group = dims[3] * size;
  std::vector<Heads> found;
  for (std::int64_t which = 0; which < dims[3]; ++which) {
    found.push_back(
        parts.split(dims[0], dims[1], dims[2], size, source, dims[2] * group, which * size, group));
  }
  return found;
}

std::int64_t append_past_of_both(AttentionParts& parts, const NodeView& node, std::size_t index,
                                 std::size_t length_index, AttentionInputs& inputs) {
  const bool has_past = node.has_input(index);
  if (has_past && (node.shape(index).size() != 5 || node.shape(index)[0] != 2)) {
    throw Error("earlier keys and values of " + join(node.shape(index), 'x'));
  }
  if (!has_past || node.shape(index)[3] == 0) {
    if (node.has_output(1)) hand_out_both(parts, inputs);
    return 0;
  }
  const Dims& all = node.shape(index);
  const std::int64_t capacity = all[3];
  const std::int64_t added = inputs.k.dims[2];
  if (!shares_buffer(node)) {
    inputs.k = parts.append(part_of_past(node, index, 0), inputs.k, 1, 0);
    inputs.v =
        parts.append(part_of_past(node, index, 1), inputs.v, 1, element_count(inputs.k.dims));
    return capacity;
  }
  const std::int64_t start = first_free_row(node, length_index, capacity, added);
  for (const auto& [which, heads] : {std::pair(0, &inputs.k), std::pair(1, &inputs.v)}) {
    *heads = parts.append_in_place(part_of_past(node, index, which), *heads, start, 1);
    if (start + added != capacity) heads->source.matrix_rows = capacity;
  }
  return start;
}

std::int64_t append_past_in_place(AttentionParts& parts, const NodeView& node, Past past,
                                  std::size_t length_index, AttentionInputs& inputs) {
  if (!node.has_input(past.key) || !node.has_input(past.value)) {
    throw Error("earlier keys and earlier values need each other");
  }
  const std::int64_t capacity = node.shape(past.key).at(2);
  const std::int64_t added = inputs.k.dims[2];
  const std::int64_t start = first_free_row(node, length_index, capacity, added);
  const auto continued = [&](std::size_t index, const Heads& heads, int output) {
    Heads all = parts.append_in_place({node.shape(index), from_input(index)}, heads, start, output);
    if (start + added != capacity) all.source.matrix_rows = capacity;
    return all;
  };
  inputs.k = continued(past.key, inputs.k, 1);
  inputs.v = continued(past.value, inputs.v, 2);
  return start;
}

void say_if_full(const NodeView& node, std::size_t length_index, std::int64_t earlier,
                 Lowered& lowered) {
  if (stated_past(node, length_index)) return;
  lowered.reason = full_caches_reason;
  if (node.has_input(length_index)) lowered.taken = {{length_index, earlier}};
}

std::vector<PartRead> filled_rows(const NodeView& node, std::initializer_list<std::size_t> inputs,
                                  std::size_t axis, std::size_t length_index, std::int64_t added) {
  const auto filled = stated_past(node, length_index);
  std::vector<PartRead> parts;
  for (const std::size_t input : inputs) {
    if (!node.has_input(input)) continue;
    const std::int64_t all = node.shape(input).at(axis);
    const std::int64_t rows = std::clamp<std::int64_t>(filled.value_or(all - added), 0, all);
    if (rows > 0) parts.push_back({.input = input, .least = rows, .most = rows, .of = all});
  }
  return parts;
}

Dims present_of_both(const NodeView& node, std::size_t index, const Dims& new_keys) {
  if (node.has_input(index) && shares_buffer(node)) return node.shape(index);
  const std::int64_t past = node.has_input(index) ? node.shape(index).at(3) : 0;
  return {2, new_keys.at(0), new_keys.at(1), past + new_keys.at(2), new_keys.at(3)};
}

}  // namespace benanza::onnx
