#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/problem/ops/attention.h"
#include "generator/fusion/flow.h"

namespace benanza::fusion {

/// A product of attention: call `call` of layer `layer`.
struct ProductCall {
  std::size_t layer = 0;
  std::size_t call = 0;
};

/// Where attention's call finds what its parts read.
struct AttentionParts {
  ProductCall scores;
  ProductCall values;
  /// How often a copy repeats each head of keys and values.
  std::int64_t repeats = 1;
  /// The masks that are added; empty if what is added is no tensor of the model as it is.
  std::optional<std::vector<FlowOperand>> masks = std::vector<FlowOperand>{};
  /// If the shape has one: the sinks; empty if they are no tensor of the model.
  std::optional<FlowOperand> sinks = {};
};

/// What the call for `shape` works on if it replaces `layers` (ascending), the last of which makes
/// its result: tensors in the strides that the copies among these layers give them. Empty if there
/// are no such strides, or the copies do more than moving whole tensors.
std::optional<FlowCall> attention_call(const Flow& flow, const Attention& shape,
                                       const AttentionParts& parts,
                                       const std::vector<std::size_t>& layers);

}  // namespace benanza::fusion
