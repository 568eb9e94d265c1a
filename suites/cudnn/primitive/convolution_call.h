#pragma once

#include <optional>

#include "core/problem/problem.h"
#include "core/problem/window.h"
#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/graph/graph.h"
#include "suites/nvidia/device/device_memory.h"
#include "suites/nvidia/run/context.h"

namespace benanza::cudnn {

/// A window's pads (all begin pads, then all end pads) split for a library that supports one pad
/// per axis for both sides. `symmetric` is passed to the library; `begin` and `end` are added to
/// the input by a copy before the call (zero if the library's pad is sufficient). One value per
/// axis.
struct Padding {
  Dims symmetric;
  Dims begin;
  Dims end;
  bool needs_copy() const;
  bool operator==(const Padding&) const = default;
};

/// Returns the cheapest split that computes exactly the same outputs. The begin pad is used for
/// both sides if this leaves the output's extent unchanged: taps beyond the end read padding either
/// way. An end pad that no window reaches is dropped.
Padding split_padding(const Window& window, const Dims& spatial);

/// The position of an input inside the larger tensor that includes its explicit padding.
struct PaddedShape {
  nvidia::TensorFormat whole;
  Part interior;
  bool operator==(const PaddedShape&) const = default;
};

/// `input` is dense in `layout`, with axes n, c and at least two spatial ones.
PaddedShape pad_input(const nvidia::TensorFormat& input, Layout layout, const Padding& padding);

/// A copy of the input with padding around it. The border is written once, on construction, as a
/// framework could do as well; only copying the interior is part of the call.
class PaddedInput {
 public:
  /// `border` is the value of the padding.
  PaddedInput(nvidia::CudaContext& cuda, PaddedShape shape, float border);

  /// Enqueues the copy of the interior from `input`, whose format is `input_tensor`.
  void copy(cudnnHandle_t handle, const TensorDescriptor& input_tensor, const std::byte* input);
  const std::byte* data() const { return memory_.data(); }

 private:
  PaddedShape shape_;
  TensorDescriptor interior_;
  nvidia::DeviceMemory memory_;
};

/// A convolution, forward or backward, in cuDNN's terms: at least two spatial axes (a single axis
/// gets a height of 1), the same pad on both sides. Forward it reads the image and writes the
/// features; the data gradient (a transposed convolution) reads features and writes an image; the
/// filter gradient reads both and writes weights.
struct ConvolutionCall {
  nvidia::TensorFormat image;
  /// Read or written by the library instead of `image` if the pads differ too much.
  std::optional<PaddedShape> padded;
  nvidia::TensorFormat weights;
  /// 1 x filters x 1 x 1; at int8 fp32, because the library adds it to scaled sums.
  nvidia::TensorFormat bias;
  nvidia::TensorFormat features;
  Dims pads;
  Dims strides;
  Dims dilations;
  std::int64_t groups = 1;

  const nvidia::TensorFormat& image_of_library() const { return padded ? padded->whole : image; }
};

ConvolutionCall map_convolution(const Convolution& shape, Precision precision, Layout layout);
/// The data gradient of a convolution whose result is the shape's input. Throws Unsupported in the
/// cases of split_output_padding().
ConvolutionCall map_convolution(const Deconvolution& shape, Precision precision, Layout layout);

/// Splits the pads of a transposed convolution for a library that supports one pad per axis for
/// both sides. `begin` and `end` are pixels that the library computes in addition to the output and
/// that a copy drops. The library writes any number of pixels that its convolution maps to our
/// input, so an end pad that is smaller than the begin pad by less than a stride costs nothing.
/// Throws Unsupported for pixels beyond what any call writes (output padding of a stride or more).
Padding split_output_padding(const Deconvolution& shape);

struct ConvolutionDescriptors {
  TensorDescriptor image;
  /// The tensor that the library reads or writes: the image or the padded one.
  TensorDescriptor image_of_library;
  /// The part of the padded image that is the image; null if there is none.
  TensorDescriptor interior;
  FilterDescriptor weights;
  TensorDescriptor bias;
  TensorDescriptor features;
  ConvolutionDescriptor convolution;
};
ConvolutionDescriptors describe(const ConvolutionCall& call, Layout layout, Precision precision);

/// Traits::rounding_amplification of any algorithm that transforms tiles: 16, or 512 for filters of
/// more than 3 values along an axis. Larger tiles have worse conditioned transforms (Barabasz,
/// Anderson, Soodhalter, Gregg, "Error Analysis and Improving the Accuracy of Winograd Convolution
/// for Deep Neural Networks", ACM TOMS 46(4), 2020). The error of cuDNN 9.14 on an H100 was at most
/// 4 times the tolerance of a plain sum for 3x3 filters (depthwise, so 9 terms), and 123 times for
/// 5x5.
double amplification_of_transforms(const Convolution& shape);

/// The window for graphs, with separate pads on either side.
ConvolutionWindow window_of(const Window& window);

}  // namespace benanza::cudnn
