#pragma once

#include "generator/training/gradient.h"

namespace benanza::training {

/// The data gradient is a Deconvolution of the output's gradient, the weight gradient a
/// ConvolutionFilterGradient.
Gradient of_convolution(const Convolution& shape, const std::vector<bool>& wanted);
/// The reverse: the data gradient is a Convolution of the output's gradient.
Gradient of_deconvolution(const Deconvolution& shape, const std::vector<bool>& wanted);
/// With C = op(A) op(B): dA = dC op(B)^T and dB = op(A)^T dC, laid out as A and B. Weights shared
/// by all batches get one product over all of them.
Gradient of_gemm(const Gemm& shape, const std::vector<bool>& wanted);

}  // namespace benanza::training
