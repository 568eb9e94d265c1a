#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <list>
#include <span>

#include "suites/nvidia/device/device_memory.h"
#include "suites/nvidia/device/tensor_format.h"

namespace benanza::nvidia {

/// Operands as they lie on the device, kept for the next variant of the same problem: converting
/// and sending millions of values takes longer than measuring with them. Forgets those used
/// longest ago.
class OperandStore {
 public:
  explicit OperandStore(std::int64_t capacity_bytes) : capacity_bytes_(capacity_bytes) {}

  /// Writes `values`, laid out as `format` says, to the beginning of `memory`. Values are known
  /// again by where they are, how many, and a sample of them.
  void write(std::span<const float> values, const TensorFormat& format, DeviceMemory& memory,
             cudaStream_t stream);

 private:
  struct Entry {
    const float* values;
    std::size_t count;
    std::uint64_t sample;
    TensorFormat format;
    DeviceMemory memory;
  };
  std::int64_t capacity_bytes_;
  std::int64_t bytes_ = 0;
  /// The one used last first.
  std::list<Entry> entries_;
};

}  // namespace benanza::nvidia
