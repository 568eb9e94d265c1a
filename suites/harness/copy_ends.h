#pragma once

#include <cstddef>
#include <cstdint>

#include "suites/harness/operands.h"

namespace benanza::harness {

/// One operand and one result that the caller owns.
class CopyEnds final : public Operands {
 public:
  CopyEnds(std::byte* source, std::byte* target) : source_(source), target_(target) {}

  std::byte* operand(std::size_t, std::int64_t, const MemoryFormat&) override { return source_; }
  std::byte* result(std::size_t, std::int64_t, const MemoryFormat&) override { return target_; }
  std::byte* scratch(std::int64_t) override { return nullptr; }

 private:
  std::byte* source_;
  std::byte* target_;
};

}  // namespace benanza::harness
