#pragma once

#include "generator/training/gradient.h"

namespace benanza::training {

/// Of the data a Deconvolution of the output's gradient, of the weights a
/// ConvolutionFilterGradient.
Gradient of_convolution(const Convolution& shape, const std::vector<bool>& wanted);
/// The same two the other way round: of the data a Convolution of the output's gradient.
Gradient of_deconvolution(const Deconvolution& shape, const std::vector<bool>& wanted);
/// With C = op(A) op(B): dA = dC op(B)^T and dB = op(A)^T dC, as A and B are stored. Weights that
/// batches share get one product over all of them.
Gradient of_gemm(const Gemm& shape, const std::vector<bool>& wanted);

}  // namespace benanza::training
