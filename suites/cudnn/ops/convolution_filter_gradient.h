#pragma once

#include <cudnn.h>

#include <vector>

#include "core/problem/ops/convolution_filter_gradient.h"
#include "suites/cudnn/primitive/convolution_functions.h"
#include "suites/cudnn/primitive/graph_call.h"

namespace benanza::cudnn {

/// Throws Unsupported at int8 and for a bias gradient, which the library computes in a separate
/// call.
void refuse_filter_gradient(const ConvolutionFilterGradient& shape,
                            const harness::Variant& variant);

/// Returns one graph of one operation. Throws what refuse_filter_gradient() throws.
std::vector<GraphCall> filter_gradient_graphs(const ConvolutionFilterGradient& shape,
                                              const harness::Variant& variant);

class FilterGradientCalls {
 public:
  FilterGradientCalls(const Request& request, const ConvolutionCall& call,
                      ConvolutionDescriptors descriptors,
                      cudnnConvolutionBwdFilterAlgo_t algorithm);
  void operator()(const CudnnPrimitive& call);

 private:
  ConvolutionDescriptors descriptors_;
  cudnnConvolutionBwdFilterAlgo_t algorithm_;
  ImageOperand image_;
};

struct FilterGradient {
  using Shape = ConvolutionFilterGradient;
  using Answer = cudnnConvolutionBwdFilterAlgoPerf_t;
  using Calls = FilterGradientCalls;
  /// winograd has never been implemented but is listed.
  static constexpr ConvolutionAlgorithm algorithms[] = {
      {"algo_0"},          {"algo_1"},         {"fft", true},
      {"algo_3"},          {"winograd", true}, {"winograd_nonfused", true},
      {"fft_tiling", true}};
  static constexpr auto max_count =
      BENANZA_CUDNN_CALL(cudnnGetConvolutionBackwardFilterAlgorithmMaxCount);
  static constexpr auto heuristics =
      BENANZA_CUDNN_CALL(cudnnGetConvolutionBackwardFilterAlgorithm_v7);
  static constexpr auto workspace =
      BENANZA_CUDNN_CALL(cudnnGetConvolutionBackwardFilterWorkspaceSize);

  static const Dims& image(const Shape& shape) { return shape.forward.input; }
  static auto operands(const ConvolutionDescriptors& d) {
    return std::tuple(d.image_of_library.get(), d.features.get(), d.convolution.get(),
                      d.weights.get());
  }
  static ConvolutionCall map(const Shape& shape, Precision precision, Layout layout) {
    return map_convolution(shape.forward, precision, layout);
  }
  static void refuse(const Shape& shape, const harness::Variant& variant) {
    refuse_filter_gradient(shape, variant);
  }
  static bool offers(const Epilogue&, cudnnConvolutionBwdFilterAlgo_t) { return true; }
  /// winograd_nonfused rounds as the convolution whose tiles it transforms. algo_0 and algo_3
  /// accumulate with atomic operations, in the type of the gradient and in no fixed order (cuDNN's
  /// documentation calls them non-deterministic), so there is one partial sum per image.
  static void complete(harness::Traits& traits, const Shape& shape,
                       cudnnConvolutionBwdFilterAlgo_t algorithm);
  static nvidia::CallSetup setup(const ConvolutionCall& call, const harness::Variant&) {
    return {.inputs = {call.image, call.features}, .results = {call.weights}};
  }
};

static_assert(std::size(FilterGradient::algorithms) == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT);

}  // namespace benanza::cudnn
