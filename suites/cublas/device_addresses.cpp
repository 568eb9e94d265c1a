#include "suites/cublas/device_addresses.h"

#include <span>

namespace benanza::cublas {

nvidia::DeviceMemory device_addresses(std::byte* base, const std::vector<std::int64_t>& offsets,
                                      std::int64_t size_bytes, cudaStream_t stream) {
  std::vector<std::byte*> addresses;
  addresses.reserve(offsets.size());
  for (const std::int64_t offset : offsets) addresses.push_back(base + offset * size_bytes);
  const auto bytes = std::as_bytes(std::span(addresses));
  nvidia::DeviceMemory memory(static_cast<std::int64_t>(bytes.size()));
  memory.write(bytes, stream);
  return memory;
}

}  // namespace benanza::cublas
