#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/problem/problem.h"
#include "suites/cublas/mapping.h"
#include "suites/nvidia/device/tensor_format.h"

namespace benanza::cublas {

/// A problem as one matrix product, factor * op(A) op(B), and the problem's epilogue.
struct Product {
  Gemm gemm;
  Epilogue epilogue;
  /// Where A and B come from: an index into inputs(problem); if empty, every element is 1.
  std::array<std::optional<std::size_t>, 2> sources{0, 1};
  float factor = 1;
  bool operator==(const Product&) const = default;

  Problem problem() const { return {gemm, epilogue}; }
};

/// The problem as a product: a Gemm; a convolution of 1x1 filters at every pixel, in one group
/// (pixels by channels if channels are innermost, otherwise channels by pixels, image by image,
/// without a bias); a sum or mean over adjacent axes, including average pooling of whole images (a
/// product with ones). Empty for other problems.
std::optional<Product> product_of(const Problem& problem, Layout layout);

/// The formats of operands and result of a problem that has a product: as the layout defines,
/// except a Gemm's packed weights. Bias and residual of a Gemm have a wider type if the library has
/// no 8-bit one.
std::vector<nvidia::TensorFormat> operand_formats(const Problem& problem, Precision precision,
                                                  Layout layout,
                                                  Weights weights = Weights::as_given);
nvidia::TensorFormat result_format(const Problem& problem, Precision precision, Layout layout);

}  // namespace benanza::cublas
