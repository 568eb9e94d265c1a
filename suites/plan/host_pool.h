#pragma once

#include <cstdint>
#include <memory>

#include "suites/harness/operands.h"

namespace benanza::plan {

/// The host's memory in blocks that follow each other on large pages, where the system has them: a
/// model's calls touch each block once a run, and most of a walk over small pages is lost time.
class HostPool final : public harness::Allocator {
 public:
  std::shared_ptr<std::byte> allocate(std::int64_t bytes) override;
  void write(std::byte* target, std::span<const std::byte> bytes) override;
  void read(std::span<std::byte> bytes, const std::byte* source) override;

 private:
  harness::HostAllocator host_;
  /// The last chunk, and its bytes that are taken.
  std::shared_ptr<std::byte> chunk_;
  std::int64_t chunk_bytes_ = 0;
  std::int64_t taken_ = 0;
};

}  // namespace benanza::plan
