#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "suites/cudnn/ops/convolution/convolution.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {
namespace {

// In the order of cudnnConvolutionFwdAlgo_t.
constexpr std::array<std::string_view, CUDNN_CONVOLUTION_FWD_ALGO_COUNT> algorithm_names{
    "implicit_gemm", "implicit_precomp_gemm", "gemm", "direct", "fft", "fft_tiling",
    "winograd",      "winograd_nonfused"};

}  // namespace

ConvolutionCall map_convolution(const Convolution& shape, Precision precision, Layout layout) {
  const Padding padding = split_padding(shape.window, spatial(shape.input));
  Dims weights{shape.filters, shape.input[1] / shape.groups};
  weights.insert(weights.end(), shape.window.kernel.begin(), shape.window.kernel.end());

  ConvolutionCall call;
  call.input = dense(precision, shape.input, layout);
  if (padding.needs_copy()) call.padded = pad_input(call.input, layout, padding);
  call.weights = dense(precision, weights, layout);
  call.output = dense(precision, shape.output(), layout);
  Dims bias(call.output.dims.size(), 1);
  bias[1] = shape.filters;
  call.bias =
      dense(precision == Precision::int8 ? Precision::fp32 : precision, bias, Layout::plain);
  call.pads = at_least_2d(padding.symmetric, 0);
  call.strides = at_least_2d(shape.window.strides, 1);
  call.dilations = at_least_2d(shape.window.dilations, 1);
  call.groups = shape.groups;
  return call;
}

ConvolutionDescriptors describe(const ConvolutionCall& call, Layout layout, Precision precision) {
  return {.input = make_tensor(call.input),
          .read = make_tensor(call.read_by_library()),
          .weights = make_filter(call.weights, layout),
          .bias = make_tensor(call.bias),
          .output = make_tensor(call.output),
          .convolution =
              make_convolution(call.pads, call.strides, call.dilations, call.groups, precision)};
}

std::span<const std::string_view> convolution_algorithm_names() { return algorithm_names; }

double rounding_amplification(const Convolution& shape, cudnnConvolutionFwdAlgo_t algorithm) {
  if (algorithm != CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED) return 1;
  return amplification_of_transforms(shape);
}

double amplification_of_transforms(const Convolution& shape) {
  constexpr std::int64_t small_filter = 3;
  constexpr double of_small_tiles = 16;
  constexpr double of_large_tiles = 512;
  const bool large = std::any_of(shape.window.kernel.begin(), shape.window.kernel.end(),
                                 [](std::int64_t extent) { return extent > small_filter; });
  return large ? of_large_tiles : of_small_tiles;
}

std::string_view to_string(cudnnConvolutionFwdAlgo_t algorithm) {
  return algorithm_names.at(static_cast<std::size_t>(algorithm));
}

cudnnConvolutionFwdAlgo_t parse_convolution_algorithm(std::string_view name) {
  const auto found = std::ranges::find(algorithm_names, name);
  if (found == algorithm_names.end()) {
    throw std::invalid_argument("cuDNN has no convolution algorithm '" + std::string(name) + "'");
  }
  return static_cast<cudnnConvolutionFwdAlgo_t>(found - algorithm_names.begin());
}

std::vector<cudnnConvolutionFwdAlgo_t> algorithms_with(
    const Epilogue& epilogue, std::vector<cudnnConvolutionFwdAlgo_t> ordered) {
  if (epilogue == Epilogue{} || epilogue.activation) return ordered;
  return {CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM};
}

cudnnActivationMode_t fused_activation(const Epilogue& epilogue) {
  if (!epilogue.activation) return CUDNN_ACTIVATION_IDENTITY;
  if (epilogue.activation->kind == ActivationKind::relu) return CUDNN_ACTIVATION_RELU;
  throw harness::Unsupported("cudnnConvolutionBiasActivationForward has no " +
                             std::string(epilogue.activation->op()));
}

}  // namespace benanza::cudnn
