#include "generator/onnx/operators/shared/attention_parts.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "generator/lowered/lowered.h"
#include "generator/onnx/operators/shared/calls.h"

namespace benanza::onnx {

Heads some_rows(Heads heads, std::int64_t first, std::int64_t last) {
  std::int64_t& rows = heads.dims[2];
  if (first == 0 && last == rows) return heads;
  Source& source = heads.source;
  if (source.matrix_rows == 0) source.matrix_rows = rows;
  source.part_from = source.part_from.value_or(0) + first * heads.dims[3];
  rows = last - first;
  return heads;
}

Source AttentionParts::add(Call call) { return add_call(calls_, std::move(call)); }

Heads AttentionParts::split(std::int64_t batch, std::int64_t length, std::int64_t heads,
                            std::int64_t size, Source source, std::int64_t row, std::int64_t offset,
                            std::int64_t stride) {
  const Dims dims{batch, heads, length, size};
  if (heads == 1 && row == size) return {dims, source};
  const Dims strides{length * row, stride == 0 ? size : stride, row, 1};
  const View view{dims, strides, offset};
  Call copy = copy_call(view, dense_view(dims));
  copy.operands = {source};
  const Source moved = add(std::move(copy));
  splits_[moved.index] = {source, view};
  return {dims, moved};
}

Lowered AttentionParts::done() && {
  // Copies that append_in_place() read through.
  for (auto split = splits_.rbegin(); split != splits_.rend(); ++split) {
    const auto index = static_cast<std::size_t>(split->first);
    const bool is_last = index + 1 == calls_.size();
    const bool is_idle = calls_[index].output == 0 && !is_read(calls_, index);
    if (!is_last && is_idle) erase_call(calls_, index, {});
  }
  return measured(std::move(calls_));
}

Heads AttentionParts::rotate(const Heads& heads, std::int64_t rotated, bool interleaved,
                             Source cosines, Source sines) {
  const Rotation rotation{heads.dims, {1, 1, heads.dims[2], rotated / 2}, interleaved};
  Source result = heads.source;
  for (Call& call : rotation.calls({heads.source, cosines, sines})) result = add(std::move(call));
  return {heads.dims, result};
}

void AttentionParts::check_continues(const Heads& past, const Heads& heads) {
  if (past.dims.size() != 4 || past.dims[0] != heads.dims[0] || past.dims[1] != heads.dims[1] ||
      past.dims[3] != heads.dims[3]) {
    throw Error("earlier keys or values of " + benanza::join(past.dims, 'x') +
                " do not continue with " + benanza::join(heads.dims, 'x'));
  }
}

void AttentionParts::hand_out(const Heads& heads, int output) {
  if (heads.source.kind == Source::Kind::call && heads.source.is_whole()) {
    Call& made = calls_[static_cast<std::size_t>(heads.source.index)];
    if (made.output == 0 && !made.writes_part) {
      made.output = output;
      return;
    }
  }
  Call copy = copy_call(dense_view(heads.dims), dense_view(heads.dims), output);
  copy.operands = {heads.source};
  add(std::move(copy));
}

Heads AttentionParts::append_in_place(const Heads& past, const Heads& heads, std::int64_t start,
                                      int output) {
  check_continues(past, heads);
  if (past.dims[2] == 0) {
    hand_out(heads, output);
    return heads;
  }
  Dims all = heads.dims;
  all[2] += start;
  Dims room = all;
  room[2] = std::max(room[2], past.dims[2]);
  Split from{heads.source, dense_view(heads.dims)};
  if (heads.source.kind == Source::Kind::call && heads.source.is_whole()) {
    if (const auto split = splits_.find(heads.source.index); split != splits_.end()) {
      from = split->second;
    }
  }
  Call copy = copy_call(from.heads, {heads.dims, dense_strides(room), start * room[3]}, output);
  copy.operands = {from.rows};
  copy.in_place = true;
  if (past.source.kind == Source::Kind::input && past.source.is_whole()) {
    copy.into = past.source.index;
  }
  return {all, add(std::move(copy))};
}

Heads AttentionParts::normalize(const Heads& heads, float epsilon, Source scale) {
  const LayerNormalization shape{.rows = heads.dims[0] * heads.dims[1] * heads.dims[2],
                                 .length = heads.dims[3],
                                 .epsilon = epsilon,
                                 .scale = true,
                                 .root_mean_square = true};
  return {heads.dims, add(call(shape, {heads.source, scale}))};
}

Heads AttentionParts::append(const Heads& past, const Heads& heads, int output,
                             std::optional<std::int64_t> place) {
  const Concat shape{.parts = {past.dims, heads.dims}, .axis = 2};
  check_continues(past, heads);
  if (past.dims[2] == 0) {
    hand_out(heads, output);
    return heads;
  }
  Call concat = call(shape, {past.source, heads.source});
  concat.output = output;
  concat.writes_part = place.has_value();
  concat.to_offset = place.value_or(0);
  Dims dims = heads.dims;
  dims[2] += past.dims[2];
  return {dims, add(std::move(concat))};
}

Source AttentionParts::add_softmax(const Dims& dims, Source scores,
                                   const std::optional<Source>& sink) {
  if (!sink) return add(call(Softmax{.input = dims, .axis = 3}, {scores}));
  Dims column = dims;
  column[3] = 1;
  Source term = *sink;
  if (term.kind == Source::Kind::input && element_count(column) != dims[1]) {
    Call repeat = copy_call({column, {0, 1, 0, 1}, 0}, dense_view(column));
    repeat.operands = {term};
    term = add(std::move(repeat));
  }
  const Source all = add(call(Concat{.parts = {dims, column}, .axis = 3}, {scores, term}));
  Dims more = dims;
  ++more[3];
  Call kept = copy_call({dims, dense_strides(more), 0}, dense_view(dims));
  kept.operands = {add(call(Softmax{.input = more, .axis = 3}, {all}))};
  return add(std::move(kept));
}

Heads AttentionParts::attend(const Heads& q, const Heads& k, const Heads& v, const Scores& steps) {
  const std::int64_t batch = q.dims[0];
  const std::int64_t heads = q.dims[1];
  const std::int64_t kv_heads = k.dims[1];
  const std::int64_t keys = k.dims[2];
  if (k.dims[0] != batch || v.dims[0] != batch || v.dims[1] != kv_heads || v.dims[2] != keys ||
      k.dims[3] != q.dims[3] || heads % kv_heads != 0) {
    throw Error("q of " + benanza::join(q.dims, 'x') + ", k of " + benanza::join(k.dims, 'x') +
                " and v of " + benanza::join(v.dims, 'x') + " do not fit");
  }
  // Query heads that share a key head become rows of one product.
  const std::int64_t rows = heads / kv_heads * q.dims[2];
  Source factor = q.source;
  const float soft_cap = steps.soft_cap;
  factor.scale = soft_cap == 0 ? steps.scale : steps.scale / soft_cap;
  const auto multiply = [&](const Dims& a, Source a_source, const Heads& b, bool transpose_b) {
    Call made = product_call(a, a_source, b.dims, b.source, false, false, transpose_b);
    std::get<Gemm>(made.problem.shape).cached_b = keys > q.dims[2];  // of what mark_caches() finds
    return add(std::move(made));
  };
  Source scores = multiply({batch, kv_heads, rows, q.dims[3]}, factor, k, true);
  const Dims dims{batch, heads, q.dims[2], keys};
  using enum ScoreOutput::Behind;
  const auto hand_out_behind = [&](ScoreOutput::Behind step) {
    if (!steps.handed_out || steps.handed_out->behind != step) return;
    calls_[static_cast<std::size_t>(scores.index)].output = steps.handed_out->output;
  };
  if (soft_cap != 0) {
    if (steps.handed_out && steps.handed_out->behind == product) {
      Call uncapped = function_call(dims, ActivationKind::linear, scores, soft_cap);
      uncapped.output = steps.handed_out->output;
      add(std::move(uncapped));
    }
    Call capped = function_call(dims, ActivationKind::tanh, scores);
    capped.problem.epilogue.steps = {
        Activation{.input = {}, .kind = ActivationKind::linear, .alpha = soft_cap, .beta = 0}};
    scores = add(std::move(capped));
  } else {
    hand_out_behind(product);
  }
  hand_out_behind(cap);
  for (const ScoreMask& mask : steps.masks) {
    scores = add(elementwise_call(BinaryKind::add, {dims, false, scores},
                                  {mask.dims, mask.constant, mask.source}));
  }
  hand_out_behind(masks);
  scores = add_softmax(dims, scores, steps.sink);
  hand_out_behind(softmax);
  const Source result = multiply({batch, kv_heads, rows, keys}, scores, v, false);
  return {{batch, heads, q.dims[2], v.dims[3]}, result};
}

void AttentionParts::join(const Heads& heads) {
  const std::int64_t batch = heads.dims[0];
  const std::int64_t count = heads.dims[1];
  const std::int64_t length = heads.dims[2];
  const std::int64_t size = heads.dims[3];
  if (count == 1) return;
  const Dims dims{batch, length, count, size};
  Call copy =
      copy_call({dims, {count * length * size, size, length * size, 1}, 0}, dense_view(dims));
  copy.operands = {heads.source};
  add(std::move(copy));
}

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
  const Source source = from_input(index);
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
    return parts.append({node.shape(index), from_input(index)}, heads, output);
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
  return operand_of(node, index, dims);
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
  masks.push_back(operand_of(node, index, extents));
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
