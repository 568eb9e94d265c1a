#pragma once

#include <cudnn.h>

#include <optional>
#include <string_view>
#include <vector>

#include "core/problem/ops/deconvolution.h"
#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/primitive/graph_solver.h"
#include "suites/cudnn/primitive/padding.h"

namespace benanza::cudnn {

/// A transposed convolution in cuDNN's terms: the gradient of a convolution's input, whose output
/// is our input. Two spatial axes or more (one axis gets a height of 1), the same pad on both
/// sides.
struct DeconvolutionCall {
  nvidia::TensorFormat input;
  /// Channels x filters per group x kernel.
  nvidia::TensorFormat weights;
  nvidia::TensorFormat output;
  /// Written by the library instead of `output`, where the pads differ too much: the output is a
  /// part of it.
  std::optional<PaddedShape> larger;
  Dims pads;
  Dims strides;
  Dims dilations;
  std::int64_t groups = 1;

  const nvidia::TensorFormat& written_by_library() const { return larger ? larger->whole : output; }
};

/// How the pads of a transposed convolution are given to a library that knows one pad per axis, for
/// both sides. `begin` and `end` are pixels that the library computes beside the output, and a copy
/// leaves out. The library writes any number of pixels that its convolution maps to our input, so
/// that an end pad smaller than the begin pad, by less than a stride, costs nothing. Throws
/// Unsupported for pixels beyond what any call writes (output padding of a stride and more).
Padding split_output_padding(const Deconvolution& shape);

DeconvolutionCall map_deconvolution(const Deconvolution& shape, Precision precision, Layout layout);

/// One transposed convolution and its epilogue as a graph. Throws Unsupported where
/// split_output_padding() does, and in 8 bits.
std::vector<GraphCall> deconvolution_graphs(const Deconvolution& shape,
                                            const harness::Variant& variant);

/// The descriptors of the call.
struct DeconvolutionDescriptors {
  TensorDescriptor input;
  FilterDescriptor weights;
  /// Of the tensor that the library writes.
  TensorDescriptor written;
  /// The part of it that is the output; null where it is all of it.
  TensorDescriptor interior;
  TensorDescriptor output;
  ConvolutionDescriptor convolution;
};
DeconvolutionDescriptors describe(const DeconvolutionCall& call, Layout layout,
                                  Precision precision);

/// "algo_0", "algo_1", "fft", "fft_tiling", "winograd", "winograd_nonfused".
std::string_view to_string(cudnnConvolutionBwdDataAlgo_t algorithm);
/// Throws std::invalid_argument naming `name`.
cudnnConvolutionBwdDataAlgo_t parse_deconvolution_algorithm(std::string_view name);

}  // namespace benanza::cudnn
