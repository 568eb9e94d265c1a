#pragma once

#include <vector>

#include "core/problem/problem.h"
#include "suites/onednn/plan.h"

namespace benanza::onednn {

/// `shape` by the library's matmul, with the epilogue of `problem`, whose output has the shape's
/// extents.
Plan plan_matmul(const Gemm& shape, const Problem& problem, const VariantContext& context);

/// Ways of a matrix product: matmul, and, for rows times a weight, inner product. A weight is in
/// whatever format the library likes: it is packed when the model is loaded.
std::vector<Attempt> ways_of_product(const Gemm& shape, const Problem& problem,
                                     const VariantContext& context);

/// Ways of a convolution of 1x1 filters at every pixel, in one group, channels last: as a product
/// of pixels by channels, "product." in front. None for others, and at int8.
std::vector<Attempt> ways_as_product(const Convolution& shape, const Problem& problem,
                                     const VariantContext& context);

}  // namespace benanza::onednn
