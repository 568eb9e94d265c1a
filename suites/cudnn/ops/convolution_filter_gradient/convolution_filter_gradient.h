#pragma once

#include <cudnn.h>

#include <string_view>
#include <vector>

#include "core/problem/ops/convolution_filter_gradient.h"
#include "suites/cudnn/primitive/graph_solver.h"

namespace benanza::cudnn {

/// Throws Unsupported at int8 and for a bias gradient, which the library computes in a separate
/// call.
void refuse_filter_gradient(const ConvolutionFilterGradient& shape, Precision precision);

/// Returns one graph of one operation. Throws what refuse_filter_gradient() throws.
std::vector<GraphCall> filter_gradient_graphs(const ConvolutionFilterGradient& shape,
                                              const harness::Variant& variant);

/// "algo_0", "algo_1", "fft", "algo_3", "winograd", "winograd_nonfused", "fft_tiling", in the
/// library's order. winograd has never been implemented but is listed.
std::string_view to_string(cudnnConvolutionBwdFilterAlgo_t algorithm);
/// Throws std::invalid_argument naming `name`.
cudnnConvolutionBwdFilterAlgo_t parse_filter_gradient_algorithm(std::string_view name);

/// Primitive::rounding_amplification(): for winograd_nonfused that of the convolution whose tiles
/// it transforms, otherwise 1.
double rounding_amplification(const Convolution& forward,
                              cudnnConvolutionBwdFilterAlgo_t algorithm);

/// Primitive::partial_sums(): algo_0 and algo_3 accumulate with atomic operations, in the type of
/// the gradient and in no fixed order (cuDNN's documentation calls them non-deterministic), so
/// there is one partial sum per image.
double partial_sums(const Convolution& forward, cudnnConvolutionBwdFilterAlgo_t algorithm);

}  // namespace benanza::cudnn
