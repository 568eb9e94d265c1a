#pragma once

#include <cudnn.h>

#include <limits>
#include <vector>

#include "suites/cudnn/primitive/convolution_functions.h"
#include "suites/cudnn/primitive/graph_call.h"

namespace benanza::cudnn {

/// Returns graphs of one convolution and its epilogue: if it ends in a relu, another ("max.") with
/// the relu as a maximum, for engines compiled at run time; if it adds a bias and a residual,
/// another ("residual.") that adds the residual first, for engines that are made in advance.
std::vector<GraphCall> convolution_graphs(const Convolution& shape,
                                          const harness::Variant& variant);

/// The activation of cudnnConvolutionBiasActivationForward: identity if the epilogue has none.
/// Throws Unsupported for any other than relu, as the call supports no other.
cudnnActivationMode_t fused_activation(const Epilogue& epilogue);

class ForwardCalls {
 public:
  ForwardCalls(const Request& request, const ConvolutionCall& call,
               ConvolutionDescriptors descriptors, cudnnConvolutionFwdAlgo_t algorithm);
  void operator()(const CudnnPrimitive& call);

 private:
  bool is_fused_;
  ConvolutionDescriptors descriptors_;
  cudnnConvolutionFwdAlgo_t algorithm_;
  std::optional<std::size_t> bias_;
  std::optional<std::size_t> residual_;
  ActivationDescriptor activation_;
  /// The library requires a bias: zeros if the problem has none.
  nvidia::DeviceMemory no_bias_;
  ImageOperand image_;
};

struct Forward {
  using Shape = Convolution;
  using Answer = cudnnConvolutionFwdAlgoPerf_t;
  using Calls = ForwardCalls;
  /// direct has never been implemented but is listed.
  static constexpr ConvolutionAlgorithm algorithms[] = {
      {"implicit_gemm"},  {"implicit_precomp_gemm"},
      {"gemm"},           {"direct"},
      {"fft", true},      {"fft_tiling", true},
      {"winograd", true}, {"winograd_nonfused", true}};
  static constexpr auto max_count = BENANZA_CUDNN_CALL(cudnnGetConvolutionForwardAlgorithmMaxCount);
  static constexpr auto heuristics = BENANZA_CUDNN_CALL(cudnnGetConvolutionForwardAlgorithm_v7);
  static constexpr auto workspace = BENANZA_CUDNN_CALL(cudnnGetConvolutionForwardWorkspaceSize);

  static const Dims& image(const Shape& shape) { return shape.input; }
  static auto operands(const ConvolutionDescriptors& d) {
    return std::tuple(d.image_of_library.get(), d.weights.get(), d.convolution.get(),
                      d.features.get());
  }
  static ConvolutionCall map(const Shape& shape, Precision precision, Layout layout) {
    return map_convolution(shape, precision, layout);
  }
  static void refuse(const Shape&, const harness::Variant& variant) {
    fused_activation(variant.problem.epilogue);
  }
  /// All of them, but without an activation only implicit_precomp_gemm (cuDNN's documentation of
  /// cudnnConvolutionBiasActivationForward).
  static bool offers(const Epilogue& epilogue, cudnnConvolutionFwdAlgo_t algorithm) {
    return epilogue == Epilogue{} || epilogue.activation ||
           algorithm == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
  }
  static void complete(harness::Traits& traits, const Shape& shape,
                       cudnnConvolutionFwdAlgo_t algorithm) {
    if (algorithm != CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED) return;
    traits.rounding_amplification = amplification_of_transforms(shape);
  }
  static nvidia::CallSetup setup(const ConvolutionCall& call, const harness::Variant& variant);
};

static_assert(std::size(Forward::algorithms) == CUDNN_CONVOLUTION_FWD_ALGO_COUNT);

}  // namespace benanza::cudnn
