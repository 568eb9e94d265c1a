#pragma once

#include <vector>

#include "generator/fusion/flow.h"

namespace benanza::fusion {

/// Finds layers whose own calls are two products around a softmax, and makes each one attention
/// call.
std::vector<Fusion> attention_layers(const Flow& flow);

/// Finds attention spread over several layers, as one call: a product of two tensors, its scores
/// optionally scaled by a constant and masked, their softmax, and its product with a third tensor.
/// Every intermediate result has one reader. A Transpose of the keys becomes part of the call,
/// which reads them in place.
std::vector<Fusion> attention_patterns(const Flow& flow);

}  // namespace benanza::fusion
