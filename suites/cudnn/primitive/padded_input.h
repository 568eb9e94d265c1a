#pragma once

#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/primitive/padding.h"
#include "suites/cudnn/api/shape.h"
#include "suites/nvidia/run/context.h"
#include "suites/nvidia/device/device_memory.h"

namespace benanza::cudnn {

/// Where an input lies inside the larger tensor that holds its explicit padding.
struct PaddedShape {
  TensorFormat whole;
  Part interior;
  bool operator==(const PaddedShape&) const = default;
};

/// `input` is dense, n, c and two spatial axes or more, in `layout`.
PaddedShape pad_input(const TensorFormat& input, Layout layout, const Padding& padding);

/// A copy of the input with padding around it. The border is written once, when it is made: a
/// framework could keep it as well. Only the copy of the interior belongs to the call.
class PaddedInput {
 public:
  /// `border`: value of the padding.
  PaddedInput(CudaContext& cuda, PaddedShape shape, float border);

  /// Enqueues the copy of the interior from `input`, laid out as `input_tensor` says.
  void copy(cudnnHandle_t handle, const TensorDescriptor& input_tensor, const std::byte* input);
  const std::byte* data() const { return memory_.data(); }

 private:
  PaddedShape shape_;
  TensorDescriptor interior_;
  DeviceMemory memory_;
};

}  // namespace benanza::cudnn
