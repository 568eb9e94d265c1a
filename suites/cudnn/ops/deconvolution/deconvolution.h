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

/// A transposed convolution in cuDNN's terms: the data gradient of a convolution whose output is
/// our input. At least two spatial axes (a single axis gets a height of 1), the same pad on both
/// sides.
struct DeconvolutionCall {
  nvidia::TensorFormat input;
  /// Channels x filters per group x kernel.
  nvidia::TensorFormat weights;
  nvidia::TensorFormat output;
  /// Written by the library instead of `output` if the pads differ too much; contains the output.
  std::optional<PaddedShape> larger;
  Dims pads;
  Dims strides;
  Dims dilations;
  std::int64_t groups = 1;

  const nvidia::TensorFormat& written_by_library() const { return larger ? larger->whole : output; }
};

/// Splits the pads of a transposed convolution for a library that supports one pad per axis for
/// both sides. `begin` and `end` are pixels that the library computes in addition to the output and
/// that a copy drops. The library writes any number of pixels that its convolution maps to our
/// input, so an end pad that is smaller than the begin pad by less than a stride costs nothing.
/// Throws Unsupported for pixels beyond what any call writes (output padding of a stride or more).
Padding split_output_padding(const Deconvolution& shape);

DeconvolutionCall map_deconvolution(const Deconvolution& shape, Precision precision, Layout layout);

/// Returns a graph of one transposed convolution and its epilogue. Throws Unsupported in 8 bits and
/// in the cases of split_output_padding().
std::vector<GraphCall> deconvolution_graphs(const Deconvolution& shape,
                                            const harness::Variant& variant);

struct DeconvolutionDescriptors {
  TensorDescriptor input;
  FilterDescriptor weights;
  /// The tensor that the library writes.
  TensorDescriptor written;
  /// The part of `written` that is the output; null if that is all of it.
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
