#pragma once

#include <vector>

#include "generator/fusion/fusion.h"

namespace benanza::fusion {

/// Finds layers whose own calls are two products around a softmax, and makes each one attention
/// call.
std::vector<FoundFusion> attention_layers(const Flow& flow);

/// Finds attention spread over several layers: a product of two tensors, its scores optionally
/// scaled by constants and masked, their softmax, and its product with a third tensor. Every
/// intermediate result has one reader. The call also replaces a Transpose of the keys, which it
/// reads in place. A constant mask that only hides later keys makes the problem causal.
std::vector<FoundFusion> attention_patterns(const Flow& flow);

}  // namespace benanza::fusion
