#include "generator/onnx/operators/shared/attention_inputs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"

namespace benanza::onnx {

std::int64_t positive(const NodeView& node, std::string_view name) {
  const std::int64_t value = node.integer(name, 0);
  if (value < 1) throw Error("attribute \"" + std::string(name) + "\" must be at least 1");
  return value;
}

const Dims& rows_of_input(const NodeView& node, std::size_t index) {
  const Dims& dims = node.shape(index);
  if (dims.size() < 3) throw Error("input " + std::to_string(index) + " needs three axes");
  return dims;
}

const Dims& rows(const NodeView& node, std::size_t index) {
  const Dims& dims = node.shape(index);
  if (dims.size() != 3) throw NotExpressible("an input of other than batch, length and heads");
  return dims;
}

Dims with_last(Dims dims, std::int64_t last) {
  dims.back() = last;
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

Heads heads_of(AttentionParts& parts, const NodeView& node, std::size_t index,
               std::string_view name) {
  const Source source = from_input(static_cast<int>(index));
  if (node.shape(index).size() == 4) return {node.shape(index), source};
  const Dims& dims = rows(node, index);
  const std::int64_t heads = head_count(node, name, dims[2]);
  return parts.split(dims[0], dims[1], heads, dims[2] / heads, source, dims[2]);
}

void hand_out_new(AttentionParts& parts, const NodeView& node, const AttentionInputs& inputs) {
  if (node.has_output(1)) parts.hand_out(inputs.k, 1);
  if (node.has_output(2)) parts.hand_out(inputs.v, 2);
}

void append_past(AttentionParts& parts, const NodeView& node, AttentionInputs& inputs, Past past) {
  if (node.has_input(past.key) != node.has_input(past.value)) {
    throw Error("earlier keys and earlier values need each other");
  }
  if (!node.has_input(past.key)) return hand_out_new(parts, node, inputs);
  const auto continued = [&](std::size_t index, const Heads& heads, int output) {
    return parts.append({node.shape(index), from_input(static_cast<int>(index))}, heads, output);
  };
  inputs.k = continued(past.key, inputs.k, 1);
  inputs.v = continued(past.value, inputs.v, 2);
}

ScoreMask mask_of(const NodeView& node, std::size_t index, const AttentionInputs& inputs,
                  std::int64_t columns) {
  Dims dims = node.shape(index);
  const std::int64_t keys = inputs.k.dims[2];
  if (!dims.empty() && columns != 0 && dims.back() == columns) dims.back() = keys;
  if (dims.empty() || (dims.back() != 1 && dims.back() != keys)) {
    throw NotExpressible("a mask of " + join(dims, 'x') + " for " + std::to_string(keys) + " keys");
  }
  return {dims, node.input(index).constant, from_input(static_cast<int>(index))};
}

void add_padding_mask(const NodeView& node, std::size_t index, const AttentionInputs& inputs,
                      std::vector<ScoreMask>& masks) {
  const Dims& dims = node.shape(index);
  const std::int64_t batch = inputs.q.dims[0];
  const std::int64_t queries = inputs.q.dims[2];
  const std::int64_t keys = inputs.k.dims[2];
  if (dims == Dims{batch} || dims == Dims{2 * batch} || dims == Dims{3 * batch + 2}) return;
  Dims extents;
  if (dims == Dims{batch, keys}) extents = {batch, 1, 1, keys};
  if (dims == Dims{batch, queries, keys}) extents = {batch, 1, queries, keys};
  if (dims == Dims{batch, 1, queries, keys}) extents = dims;
  if (extents.empty()) {
    throw NotExpressible("a mask of " + join(dims, 'x') + " for " + std::to_string(keys) + " keys");
  }
  masks.push_back({extents, node.input(index).constant, from_input(static_cast<int>(index))});
}

void see_earlier(AttentionInputs& inputs, std::int64_t offset, std::int64_t window,
                 std::vector<ScoreMask>& masks, bool all_scores) {
  const std::int64_t queries = inputs.q.dims[2];
  const std::int64_t all = inputs.k.dims[2];
  const std::int64_t seen = std::min(all, queries + offset);
  std::int64_t first = 0;
  if (window > 0 && (queries == 1 || !all_scores)) {
    first = std::clamp<std::int64_t>(offset + 1 - window, 0, std::max<std::int64_t>(0, seen - 1));
  }
  for (Heads* const heads : {&inputs.k, &inputs.v}) *heads = some_rows(*heads, first, seen);
  for (ScoreMask& other : masks) {
    if (other.dims.back() == all) other.dims.back() = seen - first;
  }
  if (queries == 1) return;
  const std::int64_t keys = inputs.k.dims[2];
  ScoreMask mask{{queries, keys}, true, from_attribute(Source::causal)};
  mask.source.window = window;
  // The last query of a triangle sees the last key; with fewer keys, several see it.
  if (keys < queries + offset - first) mask.source.index = Source::band;
  masks.push_back(std::move(mask));
}

float scale_of(const NodeView& node, const AttentionInputs& inputs) {
  const float usual = 1 / std::sqrt(static_cast<float>(inputs.q.dims[3]));
  const float stated = node.real("scale", 0);
  return stated == 0 ? usual : stated;
}

void finish(AttentionParts& parts, const NodeView& node, const AttentionInputs& inputs,
            std::vector<ScoreMask> masks, bool side_by_side, Scores steps) {
  steps.scale = scale_of(node, inputs);
  steps.soft_cap = node.real("softcap", 0);
  steps.masks = std::move(masks);
  if (steps.handed_out) {
    const Dims& made = node.output_shape(static_cast<std::size_t>(steps.handed_out->output));
    const Dims scores{inputs.q.dims[0], inputs.q.dims[1], inputs.q.dims[2], inputs.k.dims[2]};
    if (made != scores) throw NotExpressible("hands out scores of keys that no query sees");
  }
  const Heads result = parts.attend(inputs.q, inputs.k, inputs.v, steps);
  if (side_by_side) parts.join(result);
}

}  // namespace benanza::onnx
