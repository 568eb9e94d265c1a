#include "suites/plan/host_pool.h"

#include <algorithm>

namespace benanza::plan {
namespace {

constexpr std::int64_t page_bytes = std::int64_t{2} << 20;
constexpr std::int64_t block_alignment = 64;

std::int64_t rounded_up(std::int64_t bytes, std::int64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

std::shared_ptr<std::byte> HostPool::allocate(std::int64_t bytes) {
  constexpr std::int64_t chunk_pages = 16;
  if (bytes == 0) return nullptr;
  const std::int64_t size = rounded_up(bytes, block_alignment);
  if (!chunk_ || taken_ + size > chunk_bytes_) {
    chunk_bytes_ = std::max(rounded_up(size, page_bytes), chunk_pages * page_bytes);
    chunk_ = host_.allocate(chunk_bytes_);
    taken_ = 0;
  }
  std::byte* const block = chunk_.get() + taken_;
  taken_ += size;
  return {chunk_, block};
}

void HostPool::write(std::byte* target, std::span<const std::byte> bytes) {
  host_.write(target, bytes);
}

void HostPool::read(std::span<std::byte> bytes, const std::byte* source) {
  host_.read(bytes, source);
}

}  // namespace benanza::plan
