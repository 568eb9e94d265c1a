#pragma once

#include <vector>

#include "generator/fusion/fusion.h"

namespace benanza::fusion {

/// The most steps of a region, not counting the bias; longer chains of elementwise calls are cut
/// here.
inline constexpr std::size_t most_steps = 6;

/// Finds regions: a call (product, normalization, softmax or elementwise) and the elementwise calls
/// that follow it in the data flow, each the only reader of the previous result. Every prefix is a
/// region too: it may be cheaper, or all that a library supports. An elementwise call starts a
/// region unless another elementwise region contains it that broadcasts along no more groups of
/// axes, and after a call of another kind wherever that call's region may end. Constants applied
/// per filter, column or channel (a batch normalization, a scale) are folded into a product's
/// weights and bias and start no region. `inside`: layers of whole operators, which start no
/// region.
std::vector<FoundFusion> regions(const Flow& flow, const std::vector<bool>& inside);

/// Returns the chain with the next call as a step (two for a batch normalization of constants; none
/// for constants folded into a product's weights or into a normalization's scale and shift). Empty
/// if the call cannot be a step: it enlarges the result, or is undefined or discontinuous where
/// sums differ slightly (is_smooth_step).
std::optional<Chain> with_next_step(const Flow& flow, const Chain& chain);
/// Folds a batch normalization of constants into constant weights and a bias:
/// w' = w f and b' = (b - mean) f + shift with f = scale / sqrt(variance + epsilon), per filter.
std::optional<Chain> with_batch_normalization(const Flow& flow, const Chain& chain);

}  // namespace benanza::fusion
