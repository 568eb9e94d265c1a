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

/// A convolution in cuDNN's terms: at least two spatial axes (a single axis gets a height of 1),
/// the same pad on both sides.
struct ConvolutionCall {
  nvidia::TensorFormat input;
  /// Read by the library instead of `input` if the pads differ too much.
  std::optional<PaddedShape> padded;
  nvidia::TensorFormat weights;
  /// 1 x filters x 1 x 1; at int8 fp32, because the library adds it to scaled sums.
  nvidia::TensorFormat bias;
  nvidia::TensorFormat output;
  Dims pads;
  Dims strides;
  Dims dilations;
  std::int64_t groups = 1;

  const nvidia::TensorFormat& read_by_library() const { return padded ? padded->whole : input; }
};

ConvolutionCall map_convolution(const Convolution& shape, Precision precision, Layout layout);

struct ConvolutionDescriptors {
  TensorDescriptor input;
  /// The tensor that the convolution reads: the input or the padded one.
  TensorDescriptor read;
  FilterDescriptor weights;
  TensorDescriptor bias;
  TensorDescriptor output;
  ConvolutionDescriptor convolution;
};
ConvolutionDescriptors describe(const ConvolutionCall& call, Layout layout, Precision precision);

/// Primitive::rounding_amplification() of the algorithm: for winograd_nonfused 16, or 512 if it
/// transforms tiles for filters of more than 3 values along an axis; 1 for all others. Larger tiles
/// have worse conditioned transforms (Barabasz, Anderson, Soodhalter, Gregg, "Error Analysis and
/// Improving the Accuracy of Winograd Convolution for Deep Neural Networks", ACM TOMS 46(4), 2020).
/// The error of cuDNN 9.14 on an H100 was at most 4 times the tolerance of a plain sum for 3x3
/// filters (depthwise, so 9 terms), and 123 times for 5x5.
double rounding_amplification(const Convolution& shape, cudnnConvolutionFwdAlgo_t algorithm);
/// The same for any algorithm that transforms tiles.
double amplification_of_transforms(const Convolution& shape);

/// The window for graphs, with separate pads on either side.
ConvolutionWindow window_of(const Window& window);

/// Returns graphs of one convolution and its epilogue: if it ends in a relu, another ("max.") with
/// the relu as a maximum, for engines compiled at run time; if it adds a bias and a residual,
/// another ("residual.") that adds the residual first, for engines that are made in advance.
std::vector<GraphCall> convolution_graphs(const Convolution& shape,
                                          const harness::Variant& variant);

/// "implicit_gemm", ... in the library's order. DIRECT has never been implemented but is listed.
std::span<const std::string_view> convolution_algorithm_names();
std::string_view to_string(cudnnConvolutionFwdAlgo_t algorithm);
/// Throws std::invalid_argument naming `name`.
cudnnConvolutionFwdAlgo_t parse_convolution_algorithm(std::string_view name);

/// Returns the elements of `ordered` that support `epilogue`: all of them, but without an
/// activation only implicit_precomp_gemm (cuDNN's documentation of
/// cudnnConvolutionBiasActivationForward).
std::vector<cudnnConvolutionFwdAlgo_t> algorithms_with(
    const Epilogue& epilogue, std::vector<cudnnConvolutionFwdAlgo_t> ordered);

/// The activation of cudnnConvolutionBiasActivationForward: identity if the epilogue has none.
/// Throws Unsupported for any other than relu, as the call supports no other.
cudnnActivationMode_t fused_activation(const Epilogue& epilogue);

}  // namespace benanza::cudnn
