#pragma once

#include <vector>

#include "generator/fusion/fusion.h"

namespace benanza::fusion {

/// Steps of a region beside the bias: longer chains of elementwise calls are cut here.
inline constexpr std::size_t most_steps = 6;

/// Regions: a call (product, normalization, softmax or an elementwise one) and the elementwise
/// calls that follow it along the data flow, each the only reader of the call before. Every prefix
/// is a region, too: it may be cheaper, or all that a library has. Elementwise calls begin a region
/// where none stands before them, and behind a call of another kind wherever that one's region may
/// end. What constants do to every filter, column or channel (a batch normalization, a scale) goes
/// into a product's weights and bias and begins no region. `inside`: layers where none begins,
/// those of whole operators.
std::vector<Fusion> regions(const Flow& flow, const std::vector<bool>& inside);

/// The chain with the next call as a step of it (two of a batch normalization of constants, none of
/// constants that go into the weights of a product or into a normalization's scale and shift);
/// empty where that call is no step: it enlarges the result, or is not defined or jumps where sums
/// come out a little different (is_smooth_step).
std::optional<Chain> with_next_step(const Flow& flow, const Chain& chain);
/// A batch normalization of constants goes into constant weights and a bias:
/// w' = w f and b' = (b - mean) f + shift with f = scale / sqrt(variance + epsilon), per filter.
std::optional<Chain> with_batch_normalization(const Flow& flow, const Chain& chain);

}  // namespace benanza::fusion
