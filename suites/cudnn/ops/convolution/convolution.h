#pragma once

#include <cudnn.h>

#include <optional>
#include <span>
#include <string_view>

#include "core/problem/problem.h"
#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/primitive/graph_solver.h"
#include "suites/cudnn/primitive/padding.h"

namespace benanza::cudnn {

/// A convolution in cuDNN's terms: two spatial axes or more (one axis gets a height of 1), the same
/// pad on both sides.
struct ConvolutionCall {
  nvidia::TensorFormat input;
  /// Read by the library instead of `input`, where the pads differ too much.
  std::optional<PaddedShape> padded;
  nvidia::TensorFormat weights;
  /// 1 x filters x 1 x 1; fp32 at int8, where the library adds it to scaled sums.
  nvidia::TensorFormat bias;
  nvidia::TensorFormat output;
  Dims pads;
  Dims strides;
  Dims dilations;
  std::int64_t groups = 1;

  const nvidia::TensorFormat& read_by_library() const { return padded ? padded->whole : input; }
};

ConvolutionCall map_convolution(const Convolution& shape, Precision precision, Layout layout);

/// The descriptors of the call.
struct ConvolutionDescriptors {
  TensorDescriptor input;
  /// Of the tensor that the convolution reads: `input`'s, or the padded one's.
  TensorDescriptor read;
  FilterDescriptor weights;
  TensorDescriptor bias;
  TensorDescriptor output;
  ConvolutionDescriptor convolution;
};
ConvolutionDescriptors describe(const ConvolutionCall& call, Layout layout, Precision precision);

/// Primitive::rounding_amplification() of the algorithm: of winograd_nonfused 16, and 512 where it
/// transforms tiles for filters of more than 3 values along an axis; else 1. The larger the tile,
/// the worse its transforms are conditioned (Barabasz, Anderson, Soodhalter, Gregg, "Error Analysis
/// and Improving the Accuracy of Winograd Convolution for Deep Neural Networks", ACM TOMS 46(4),
/// 2020). cuDNN 9.14 on an H100 was at most 4 times as far off as the tolerance of a plain sum with
/// 3x3 filters (depthwise, so 9 terms), and 123 times with 5x5.
double rounding_amplification(const Convolution& shape, cudnnConvolutionFwdAlgo_t algorithm);
/// Of any algorithm that transforms tiles.
double amplification_of_transforms(const Convolution& shape);

/// As graphs take it, with a pad of its own on either side.
ConvolutionWindow window_of(const Window& window);

/// One convolution and its epilogue as cuDNN's graphs; where it ends in a relu, once more with the
/// relu as a maximum ("max."), for the engines that are compiled at run time.
std::vector<GraphCall> convolution_graphs(const Convolution& shape,
                                          const harness::Variant& variant);

/// "implicit_gemm", ... in the library's order; DIRECT has never had an implementation but is
/// asked.
std::span<const std::string_view> convolution_algorithm_names();
std::string_view to_string(cudnnConvolutionFwdAlgo_t algorithm);
/// Throws std::invalid_argument naming `name`.
cudnnConvolutionFwdAlgo_t parse_convolution_algorithm(std::string_view name);

/// Those of `ordered` that can end in `epilogue`: all, but without an activation only
/// implicit_precomp_gemm (cuDNN's documentation of cudnnConvolutionBiasActivationForward).
std::vector<cudnnConvolutionFwdAlgo_t> algorithms_with(
    const Epilogue& epilogue, std::vector<cudnnConvolutionFwdAlgo_t> ordered);

/// cudnnConvolutionBiasActivationForward's function: identity where the epilogue has none. Throws
/// Unsupported for any but relu: the call knows no other.
cudnnActivationMode_t fused_activation(const Epilogue& epilogue);

}  // namespace benanza::cudnn
