#pragma once

#include <vector>

#include "core/problem/ops/pooling_gradient.h"
#include "suites/cudnn/ops/pooling.h"

namespace benanza::cudnn {

/// Returns the pooling's ways; for max each also with the suffix ".deterministic", the library's
/// mode that adds in a fixed order. Throws Unsupported at int8.
std::vector<PoolingWay> pooling_gradient_ways(const PoolingGradient& shape, Precision precision);

/// The forward call of the gradient; `padded` describes both the input and its gradient. Throws
/// what map_pooling() throws.
PoolingCall map_pooling_gradient(const PoolingGradient& shape, Precision precision, Layout layout,
                                 const PoolingWay& way);

}  // namespace benanza::cudnn
