#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "suites/harness/operands.h"

namespace benanza::nvidia {

/// A block of device memory, aligned to 256 bytes. The constructor throws OutOfMemory, naming the
/// size and the free memory.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  explicit DeviceMemory(std::int64_t bytes);
  /// Memory of another owner, which must outlive this block.
  static DeviceMemory lent(std::byte* memory, std::int64_t bytes);

  /// Null if size_bytes() is 0.
  std::byte* data() const { return memory_.get(); }
  std::int64_t size_bytes() const { return size_bytes_; }

  /// Sets every byte. Asynchronous, in stream order.
  void fill(std::uint8_t byte, cudaStream_t stream);
  /// Copies `bytes`, which may be pageable memory, to the start of the block, and waits for the
  /// copy.
  void write(std::span<const std::byte> bytes, cudaStream_t stream);
  /// Copies from the start of the block, in stream order, and waits for the copy.
  void read(std::span<std::byte> bytes, cudaStream_t stream) const;

 private:
  struct Free {
    // Not default member initializers: g++ 12 would not know this struct as default constructible.
    Free() noexcept : owns(true) {}
    explicit Free(bool own) noexcept : owns(own) {}
    bool owns;
    void operator()(std::byte* memory) const noexcept {
      if (owns) cudaFree(memory);
    }
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::int64_t size_bytes_ = 0;
};

/// Blocks of the current device's memory.
class DeviceAllocator final : public harness::Allocator {
 public:
  /// Throws OutOfMemory.
  std::shared_ptr<std::byte> allocate(std::int64_t bytes) override;
  void write(std::byte* target, std::span<const std::byte> bytes) override;
  void read(std::span<std::byte> bytes, const std::byte* source) override;
};

/// The free device memory, in bytes.
std::int64_t free_device_bytes();

}  // namespace benanza::nvidia
