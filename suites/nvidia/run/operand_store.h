#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <list>
#include <span>

#include "suites/nvidia/device/device_memory.h"
#include "suites/nvidia/device/tensor_format.h"

namespace benanza::nvidia {

/// LRU cache of operands in device memory, for the next variant of the same problem: converting and
/// transferring millions of values takes longer than measuring with them.
class OperandStore {
 public:
  explicit OperandStore(std::int64_t capacity_bytes) : capacity_bytes_(capacity_bytes) {}

  /// Writes `values`, converted to `format`, to the start of `memory`. Values are recognised by
  /// address, number, and a hash of a sample of them.
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
  /// Most recently used first.
  std::list<Entry> entries_;
};

}  // namespace benanza::nvidia
