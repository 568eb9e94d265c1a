#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/problem/problem.h"
#include "suites/nvidia/device/tensor_format.h"

namespace benanza::cublas {

/// A problem as one matrix product, factor * op(A) op(B), and the epilogue that the problem has.
struct Product {
  Gemm gemm;
  Epilogue epilogue;
  /// Where A and B come from: index into inputs(problem); empty: every element is 1.
  std::array<std::optional<std::size_t>, 2> sources{0, 1};
  float factor = 1;
  bool operator==(const Product&) const = default;

  Problem problem() const { return {gemm, epilogue}; }
};

/// Gemm: itself. Convolution of 1x1 filters at every pixel, in one group: pixels by channels where
/// channels lie innermost, else channels by pixels, image by image, without a bias. Sum or mean
/// over neighbouring axes, average pooling of whole images included: a product with ones. Nothing
/// for other problems.
std::optional<Product> product_of(const Problem& problem, Layout layout);

/// How operands and result of a problem for which there is a product lie in memory: as the layout
/// says, but for a Gemm's packed weights. Bias and residual of a Gemm have their own type where the
/// library has none of 8 bits.
std::vector<nvidia::TensorFormat> operand_formats(const Problem& problem, Precision precision,
                                                  Layout layout);
nvidia::TensorFormat result_format(const Problem& problem, Precision precision, Layout layout);

}  // namespace benanza::cublas
