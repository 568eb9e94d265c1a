#pragma once

#include <vector>

#include "generator/lowered/lowered.h"
#include "generator/training/gradient.h"
#include "generator/training/step_builder.h"

namespace benanza::training {

/// The data gradient is a Deconvolution of the output's gradient, the weight gradient a
/// ConvolutionFilterGradient.
Gradient of_convolution(const Convolution& shape, const std::vector<bool>& wanted);
/// The reverse: the data gradient is a Convolution of the output's gradient.
Gradient of_deconvolution(const Deconvolution& shape, const std::vector<bool>& wanted);
/// With C = op(A) op(B): dA = dC op(B)^T and dB = op(A)^T dC, laid out as A and B. Weights shared
/// by all batches get one product over all of them.
Gradient of_gemm(const Gemm& shape, const std::vector<bool>& wanted);

/// Finds attention in the first `forward` layers of a step and its gradients among those that
/// `builder` has added. Each becomes one fusion of two problems, the attention and its gradient:
/// one alone is no way to do the step, because a call for the attention does not store the weights
/// that the layers of the gradient read. Left out where something else reads an intermediate
/// result, such as a trained mask.
std::vector<Fusion> attention_steps(const std::vector<LoweredLayer>& forward,
                                    const std::vector<LoweredLayer>& step,
                                    const StepBuilder& builder);

}  // namespace benanza::training
