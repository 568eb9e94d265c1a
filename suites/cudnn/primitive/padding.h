#pragma once

#include "core/problem/window.h"
#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/api/shape.h"
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

}  // namespace benanza::cudnn
