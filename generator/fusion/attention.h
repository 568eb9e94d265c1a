#pragma once

#include <vector>

#include "generator/fusion/flow.h"

namespace benanza::fusion {

/// attention: layers whose own calls are two products around a softmax, each as one call.
std::vector<Fusion> attention_layers(const Flow& flow);

/// attention: a product of two tensors, its scores scaled by a constant and masked or not, their
/// softmax, and its product with a third tensor, as one call. Every inner result has one reader; a
/// Transpose that makes columns of the keys goes into the call, which reads them where they are.
std::vector<Fusion> attention_patterns(const Flow& flow);

}  // namespace benanza::fusion
