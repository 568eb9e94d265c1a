#pragma once

#include <string_view>
#include <vector>

#include "core/problem/ops/pooling_gradient.h"
#include "suites/cudnn/ops/pooling.h"

namespace benanza::cudnn {

/// The pooling's algorithms; of max each once more with ".deterministic" behind it, in the
/// library's mode that adds in the same order every time. Throws Unsupported at int8.
std::vector<harness::Algorithm> pooling_gradient_algorithms(const PoolingGradient& shape,
                                                            Precision precision);

/// The forward call whose gradient is asked for; `padded` is of both the input and its gradient.
/// Throws what map_pooling() throws.
PoolingCall map_pooling_gradient(const PoolingGradient& shape, Precision precision, Layout layout,
                                 std::string_view algorithm);

}  // namespace benanza::cudnn
