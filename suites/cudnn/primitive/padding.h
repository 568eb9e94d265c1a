#pragma once

#include "core/problem/ops/window.h"
#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/api/shape.h"
#include "suites/nvidia/device/device_memory.h"
#include "suites/nvidia/run/context.h"

namespace benanza::cudnn {

/// How a window's pads, all begins then all ends, are given to a library that knows one pad per
/// axis, for both sides. `symmetric` goes to the library; `begin` and `end` are added to the input
/// by a copy before the call (zero where the library's pad does it all). One value per axis.
struct Padding {
  Dims symmetric;
  Dims begin;
  Dims end;
  bool needs_copy() const;
  bool operator==(const Padding&) const = default;
};

/// The cheapest split that computes exactly the same outputs. The begin pad serves for both sides
/// wherever the output's extent stays the same: taps beyond the end read padding either way. An
/// end pad that no window reaches is dropped.
Padding split_padding(const Window& window, const Dims& spatial);

/// Where an input lies inside the larger tensor that holds its explicit padding.
struct PaddedShape {
  nvidia::TensorFormat whole;
  Part interior;
  bool operator==(const PaddedShape&) const = default;
};

/// `input` is dense, n, c and two spatial axes or more, in `layout`.
PaddedShape pad_input(const nvidia::TensorFormat& input, Layout layout, const Padding& padding);

/// A copy of the input with padding around it. The border is written once, when it is made: a
/// framework could keep it as well. Only the copy of the interior belongs to the call.
class PaddedInput {
 public:
  /// `border`: value of the padding.
  PaddedInput(nvidia::CudaContext& cuda, PaddedShape shape, float border);

  /// Enqueues the copy of the interior from `input`, laid out as `input_tensor` says.
  void copy(cudnnHandle_t handle, const TensorDescriptor& input_tensor, const std::byte* input);
  const std::byte* data() const { return memory_.data(); }

 private:
  PaddedShape shape_;
  TensorDescriptor interior_;
  nvidia::DeviceMemory memory_;
};

}  // namespace benanza::cudnn
