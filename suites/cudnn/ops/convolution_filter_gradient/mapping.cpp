#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "suites/cudnn/ops/convolution/convolution.h"
#include "suites/cudnn/ops/convolution_filter_gradient/convolution_filter_gradient.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {
namespace {

// In the order of cudnnConvolutionBwdFilterAlgo_t.
constexpr std::array<std::string_view, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT> algorithm_names{
    "algo_0", "algo_1", "fft", "algo_3", "winograd", "winograd_nonfused", "fft_tiling"};

}  // namespace

void refuse_filter_gradient(const ConvolutionFilterGradient& shape, Precision precision) {
  if (shape.bias) {
    throw harness::Unsupported("cuDNN sums the gradient of a bias in a call of its own");
  }
  if (precision == Precision::int8) throw harness::Unsupported("cuDNN has no int8 gradients");
}

std::string_view to_string(cudnnConvolutionBwdFilterAlgo_t algorithm) {
  return algorithm_names.at(static_cast<std::size_t>(algorithm));
}

cudnnConvolutionBwdFilterAlgo_t parse_filter_gradient_algorithm(std::string_view name) {
  const auto found = std::ranges::find(algorithm_names, name);
  if (found == algorithm_names.end()) {
    throw std::invalid_argument("cuDNN has no algorithm '" + std::string(name) +
                                "' for gradients of filters");
  }
  return static_cast<cudnnConvolutionBwdFilterAlgo_t>(found - algorithm_names.begin());
}

double rounding_amplification(const Convolution& forward,
                              cudnnConvolutionBwdFilterAlgo_t algorithm) {
  if (algorithm != CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED) return 1;
  return amplification_of_transforms(forward);
}

double partial_sums(const Convolution& forward, cudnnConvolutionBwdFilterAlgo_t algorithm) {
  const bool atomic = algorithm == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0 ||
                      algorithm == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3;
  constexpr double few = harness::Primitive::few_partial_sums;
  return atomic ? std::max(few, static_cast<double>(forward.input[0])) : few;
}

}  // namespace benanza::cudnn
