#pragma once

#include <cudnn.h>

#include <vector>

#include "core/problem/ops/deconvolution.h"
#include "suites/cudnn/primitive/convolution_functions.h"
#include "suites/cudnn/primitive/graph_call.h"

namespace benanza::cudnn {

/// Returns a graph of one transposed convolution and its epilogue. Throws Unsupported in 8 bits and
/// in the cases of split_output_padding().
std::vector<GraphCall> deconvolution_graphs(const Deconvolution& shape,
                                            const harness::Variant& variant);

class DataGradientCalls {
 public:
  DataGradientCalls(const Request& request, const ConvolutionCall& call,
                    ConvolutionDescriptors descriptors, cudnnConvolutionBwdDataAlgo_t algorithm);
  void operator()(const CudnnPrimitive& call) const;

 private:
  ConvolutionDescriptors descriptors_;
  cudnnConvolutionBwdDataAlgo_t algorithm_;
  /// Written by the library if it is larger than the output; the output is its interior.
  nvidia::DeviceMemory larger_;
  std::int64_t interior_bytes_ = 0;
};

/// A transposed convolution is the data gradient of a convolution whose output is our input.
struct DataGradient {
  using Shape = Deconvolution;
  using Answer = cudnnConvolutionBwdDataAlgoPerf_t;
  using Calls = DataGradientCalls;
  static constexpr ConvolutionAlgorithm algorithms[] = {
      {"algo_0"},           {"algo_1"},         {"fft", true},
      {"fft_tiling", true}, {"winograd", true}, {"winograd_nonfused", true}};
  static constexpr auto max_count =
      BENANZA_CUDNN_CALL(cudnnGetConvolutionBackwardDataAlgorithmMaxCount);
  static constexpr auto heuristics =
      BENANZA_CUDNN_CALL(cudnnGetConvolutionBackwardDataAlgorithm_v7);
  static constexpr auto workspace =
      BENANZA_CUDNN_CALL(cudnnGetConvolutionBackwardDataWorkspaceSize);

  static const Dims& image(const Shape& shape) { return shape.input; }
  static auto operands(const ConvolutionDescriptors& d) {
    return std::tuple(d.weights.get(), d.features.get(), d.convolution.get(),
                      d.image_of_library.get());
  }
  static ConvolutionCall map(const Shape& shape, Precision precision, Layout layout) {
    return map_convolution(shape, precision, layout);
  }
  static void refuse(const Shape& shape, const harness::Variant& variant);
  static bool offers(const Epilogue&, cudnnConvolutionBwdDataAlgo_t) { return true; }
  static void complete(harness::Traits&, const Shape&, cudnnConvolutionBwdDataAlgo_t) {}
  static nvidia::CallSetup setup(const ConvolutionCall& call, const harness::Variant&) {
    return {.inputs = {call.features, call.weights}, .results = {call.image}};
  }
};

static_assert(std::size(DataGradient::algorithms) == CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT);

}  // namespace benanza::cudnn
