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

/// Returns the offset in memory, in elements, of the element with row-major index `place`. Throws
/// std::out_of_range if the tensor has no such element.
std::int64_t stored_place(const TensorFormat& format, std::int64_t place);

/// Inspects results on the device, so that only a few values are copied to the host.
class ResultReader {
 public:
  ResultReader();

  /// True for dense tensors of 16-bit or 32-bit floating-point types.
  static bool reads(const TensorFormat& format);

  /// Returns the values at the row-major indices `places` of the tensor at `memory`, in stream
  /// order. Throws as stored_place() does.
  std::vector<float> values(const std::byte* memory, const TensorFormat& format,
                            std::span<const std::int64_t> places, cudaStream_t stream);
  /// Returns the row-major index of the NaN that comes first in memory, if there is one.
  std::optional<std::int64_t> not_a_number(const std::byte* memory, const TensorFormat& format,
                                           cudaStream_t stream);

 private:
  /// Returns a scratch buffer of at least `bytes`.
  std::byte* scratch(std::int64_t bytes);

  Handle<cudaLibrary_t, &cudaLibraryUnload> library_;
  cudaKernel_t gather_ = nullptr;
  cudaKernel_t find_ = nullptr;
  DeviceMemory scratch_;
};

}  // namespace benanza::nvidia
