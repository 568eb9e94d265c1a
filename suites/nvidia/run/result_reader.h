#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "suites/nvidia/device/device_memory.h"
#include "suites/nvidia/device/handles.h"
#include "suites/nvidia/device/tensor_format.h"

namespace benanza::nvidia {

/// Where the element at row-major `place` lies in memory, in elements. Throws std::out_of_range for
/// a place that the tensor does not have.
std::int64_t stored_place(const TensorFormat& format, std::int64_t place);

/// Looks at results on the device: a few values cross the bus, not millions.
class ResultReader {
 public:
  ResultReader();

  /// True for dense tensors of floating-point types of 16 bits or 32.
  static bool reads(const TensorFormat& format);

  /// The values at row-major `places` of the tensor at `memory`, after the work in `stream`. Throws
  /// as stored_place() does.
  std::vector<float> values(const std::byte* memory, const TensorFormat& format,
                            std::span<const std::int64_t> places, cudaStream_t stream);
  /// The row-major place of an element that is not a number; the one that lies first in memory.
  std::optional<std::int64_t> not_a_number(const std::byte* memory, const TensorFormat& format,
                                           cudaStream_t stream);

 private:
  /// At least `bytes`.
  std::byte* scratch(std::int64_t bytes);

  Handle<cudaLibrary_t, &cudaLibraryUnload> library_;
  cudaKernel_t gather_ = nullptr;
  cudaKernel_t find_ = nullptr;
  DeviceMemory scratch_;
};

}  // namespace benanza::nvidia
