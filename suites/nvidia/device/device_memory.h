#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace benanza::nvidia {

/// A block of device memory, aligned to 256 bytes. Throws OutOfMemory, naming the size and what is
/// free.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  explicit DeviceMemory(std::int64_t bytes);

  /// Null if size_bytes() is 0.
  std::byte* data() const { return memory_.get(); }
  std::int64_t size_bytes() const { return size_bytes_; }

  /// Sets every byte. Ordered after the work already in `stream`; does not wait.
  void fill(std::uint8_t byte, cudaStream_t stream);
  /// Copies to the beginning, and waits for it. `bytes` may be pageable memory.
  void write(std::span<const std::byte> bytes, cudaStream_t stream);
  /// Copies from the beginning after the work already in `stream`, and waits for it.
  void read(std::span<std::byte> bytes, cudaStream_t stream) const;

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept { cudaFree(memory); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::int64_t size_bytes_ = 0;
};

/// Device memory that no allocation holds, in bytes.
std::int64_t free_device_bytes();

}  // namespace benanza::nvidia
