#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "generator/onnx/operators/shared/attention_parts.h"
#include "generator/onnx/operators/shared/operator.h"

/// What the operators of attention share: how they state queries, keys, values and masks.
namespace benanza::onnx {

struct AttentionInputs {
  Heads q;
  Heads k;
  Heads v;
};

/// An attribute that must be at least 1; throws Error otherwise.
std::int64_t positive(const NodeView& node, std::string_view name);

/// Extents of an input with at least three axes; throws Error otherwise.
const Dims& rows_of_input(const NodeView& node, std::size_t index);
/// Extents of an input of batch, length and heads side by side; throws NotExpressible otherwise.
const Dims& rows(const NodeView& node, std::size_t index);

Dims with_last(Dims dims, std::int64_t last);

/// Attribute `name`, a number of heads that divides rows of `width`; throws Error otherwise.
std::int64_t head_count(const NodeView& node, std::string_view name, std::int64_t width);

/// Heads of input `index`: separate if it has four axes, otherwise side by side in the rows.
Heads heads_of(AttentionParts& parts, const NodeView& node, std::size_t index,
               std::string_view name);

/// Indices of past keys and values among the inputs; outputs 1 and 2 include the new ones.
struct Past {
  std::size_t key;
  std::size_t value;
};

/// Without earlier ones, new keys and values are outputs 1 and 2, where the node has these.
void hand_out_new(AttentionParts& parts, const NodeView& node, const AttentionInputs& inputs);

/// Appends the new keys and values to the earlier ones, if there are any, into outputs 1 and 2.
void append_past(AttentionParts& parts, const NodeView& node, AttentionInputs& inputs, Past past);

/// Input `index` as an addend of the scores. It may have `columns`, of which those of the keys that
/// are seen are read where they are; 0: as many as there are keys.
ScoreMask mask_of(const NodeView& node, std::size_t index, const AttentionInputs& inputs,
                  std::int64_t columns = 0);

/// Adds input `index`, which tells what keys are padding, to `masks`, as ONNX Runtime has it: one
/// number per row (or two, or three and two more) is a number of keys, of which the largest is
/// assumed, and adds nothing; otherwise it has an element per key, or per query and key.
void add_padding_mask(const NodeView& node, std::size_t index, const AttentionInputs& inputs,
                      std::vector<ScoreMask>& masks);

/// Query i sees the keys up to i + `offset`, and with a `window` the last so many of these. Adds
/// the mask, which the framework creates once, to `masks`. Keys that no query sees are left out of
/// `inputs` and of the other masks, the others are read where they are; those before the first
/// query's window only unless the node hands out `all_scores`.
void see_earlier(AttentionInputs& inputs, std::int64_t offset, std::int64_t window,
                 std::vector<ScoreMask>& masks, bool all_scores = false);

float scale_of(const NodeView& node, const AttentionInputs& inputs);

/// Adds the products and the softmax; puts heads `side_by_side` in the rows again. `steps`: of the
/// scores, without what the node's attributes and `masks` say.
void finish(AttentionParts& parts, const NodeView& node, const AttentionInputs& inputs,
            std::vector<ScoreMask> masks, bool side_by_side, Scores steps = {});

}  // namespace benanza::onnx
