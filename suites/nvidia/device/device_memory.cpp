#include "suites/nvidia/device/device_memory.h"

#include <stdexcept>

#include "suites/harness/machine_context.h"
#include "suites/nvidia/device/check.h"

namespace benanza::nvidia {

DeviceMemory::DeviceMemory(std::int64_t bytes) : size_bytes_(bytes) {
  if (bytes < 0) throw std::invalid_argument("device memory of negative size");
  if (bytes == 0) return;
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, static_cast<std::size_t>(bytes));
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw OutOfMemory("out of memory: needs " + harness::bytes_text(bytes) +
                      ", free on the device " + harness::bytes_text(free_device_bytes()));
  }
  check(status, "cudaMalloc");
  memory_.reset(static_cast<std::byte*>(memory));
}

DeviceMemory DeviceMemory::lent(std::byte* memory, std::int64_t bytes) {
  DeviceMemory block;
  block.memory_ = {memory, Free(false)};
  block.size_bytes_ = bytes;
  return block;
}

void DeviceMemory::fill(std::uint8_t byte, cudaStream_t stream) {
  if (size_bytes_ == 0) return;
  check(cudaMemsetAsync(data(), byte, static_cast<std::size_t>(size_bytes_), stream),
        "cudaMemsetAsync");
}

void DeviceMemory::write(std::span<const std::byte> bytes, cudaStream_t stream) {
  if (static_cast<std::int64_t>(bytes.size()) > size_bytes_) {
    throw std::out_of_range("write past the end of device memory");
  }
  check(cudaMemcpyAsync(data(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice, stream),
        "cudaMemcpyAsync");
  synchronize(stream);
}

void DeviceMemory::read(std::span<std::byte> bytes, cudaStream_t stream) const {
  if (static_cast<std::int64_t>(bytes.size()) > size_bytes_) {
    throw std::out_of_range("read past the end of device memory");
  }
  check(cudaMemcpyAsync(bytes.data(), data(), bytes.size(), cudaMemcpyDeviceToHost, stream),
        "cudaMemcpyAsync");
  synchronize(stream);
}

std::shared_ptr<std::byte> DeviceAllocator::allocate(std::int64_t bytes) {
  const auto block = std::make_shared<DeviceMemory>(bytes);
  return {block, block->data()};
}

void DeviceAllocator::write(std::byte* target, std::span<const std::byte> bytes) {
  check(cudaMemcpy(target, bytes.data(), bytes.size(), cudaMemcpyHostToDevice), "cudaMemcpy");
}

void DeviceAllocator::read(std::span<std::byte> bytes, const std::byte* source) {
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  check(cudaMemcpy(bytes.data(), source, bytes.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
}

std::int64_t free_device_bytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return static_cast<std::int64_t>(free);
}

}  // namespace benanza::nvidia
