#pragma once

#include <vector>

#include "core/problem/problem.h"
#include "suites/onednn/ways/attempt.h"

namespace benanza::onednn {

/// Returns a matmul plan for `shape` with the epilogue of `problem`, whose output has the shape's
/// extents.
Plan plan_matmul(const Gemm& shape, const Problem& problem, const VariantContext& context);

/// Ways to compute a matrix product: matmul and, for rows times a weight, inner product and a
/// convolution with 1x1 filters, where rows are pixels with their channels innermost. The library
/// chooses the format of weights, because they are packed when the model is loaded.
std::vector<Attempt> product_attempts(const Gemm& shape, const Problem& problem,
                                      const VariantContext& context);

/// Ways to compute a convolution of one group without padding as a product, with prefix "product.":
/// with 1x1 filters at every pixel, of pixels by channels; whose window is the image, of images
/// (channels first, too); whose windows lie side by side and cover the image, of windows, which a
/// reorder gathers first. None for others, and at int8.
std::vector<Attempt> attempts_as_product(const Convolution& shape, const Problem& problem,
                                         const VariantContext& context);

}  // namespace benanza::onednn
