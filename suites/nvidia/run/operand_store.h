#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <span>
#include <vector>

#include "suites/nvidia/device/device_memory.h"
#include "suites/nvidia/device/tensor_format.h"

namespace benanza::nvidia {

/// From values to as many bytes as the library stores of them.
using Encode = std::function<std::vector<std::byte>(std::span<const float>)>;

/// LRU cache of operands in device memory, for the next variant of the same problem: converting and
/// transferring millions of values takes longer than measuring with them.
class OperandStore {
 public:
  explicit OperandStore(std::int64_t capacity_bytes) : capacity_bytes_(capacity_bytes) {}

  /// Writes `values`, converted to `format`, to the start of `memory`. Values are recognised by
  /// address, number, and a hash of a sample of them.
  void write(std::span<const float> values, const TensorFormat& format, DeviceMemory& memory,
             cudaStream_t stream) {
    write(values, format, memory, stream, nullptr);
  }
  /// The same with values that `encode`, if any, converts to bytes; `format` has to tell it from
  /// other conversions of the same values.
  void write(std::span<const float> values, const TensorFormat& format, DeviceMemory& memory,
             cudaStream_t stream, const Encode& encode);

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
