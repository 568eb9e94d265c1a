#include "record/capture/cupti/buffers.h"

#include <new>

namespace benanza::record {

std::uint8_t* Buffers::take() {
  const std::lock_guard lock(mutex_);
  if (!free_.empty()) {
    std::uint8_t* const buffer = free_.back();
    free_.pop_back();
    return buffer;
  }
  if (all_.size() >= most_) return nullptr;
  // Aligned to at least eight bytes, as CUPTI requires.
  std::unique_ptr<std::uint8_t[]> buffer(new (std::nothrow) std::uint8_t[bytes_]);
  if (!buffer) return nullptr;
  free_.reserve(most_);
  all_.push_back(std::move(buffer));
  return all_.back().get();
}

void Buffers::give_back(std::uint8_t* buffer) {
  const std::lock_guard lock(mutex_);
  free_.push_back(buffer);
}

std::size_t Buffers::allocated() const {
  const std::lock_guard lock(mutex_);
  return all_.size();
}

}  // namespace benanza::record
