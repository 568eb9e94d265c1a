#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "suites/onednn/ways/attempt.h"

namespace benanza::onednn {

/// At int8, with the prefix "dequantized.": the attempts at the same problem in fp32, between the
/// library's conversions of what varies from bytes and of the result to bytes, which are timed.
/// Operands that are known when the model is loaded (`constants`, by their index; biases always)
/// are converted then. `attempts_in` makes the attempts for a context. Attempts that already have
/// calls before or after theirs are refused.
std::vector<Attempt> dequantized_attempts(
    const VariantContext& context, const std::vector<std::size_t>& constants,
    const std::function<std::vector<Attempt>(const VariantContext& context)>& attempts_in);

}  // namespace benanza::onednn
