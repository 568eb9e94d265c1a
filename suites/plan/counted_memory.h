#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "suites/harness/operands.h"

namespace benanza::plan {

/// Another allocator's memory, counted.
class CountedMemory final : public harness::Allocator {
 public:
  /// `memory` must outlive it.
  explicit CountedMemory(harness::Allocator& memory) : memory_(&memory) {}

  std::shared_ptr<std::byte> allocate(std::int64_t bytes) override {
    auto block = memory_->allocate(bytes);
    bytes_ += bytes;
    return block;
  }
  void write(std::byte* target, std::span<const std::byte> bytes) override {
    memory_->write(target, bytes);
  }
  void read(std::span<std::byte> bytes, const std::byte* source) override {
    memory_->read(bytes, source);
  }
  /// Of all blocks so far.
  std::int64_t bytes() const { return bytes_; }

 private:
  harness::Allocator* memory_;
  std::int64_t bytes_ = 0;
};

}  // namespace benanza::plan
