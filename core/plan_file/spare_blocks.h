#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace benanza {

/// Sizes of the blocks for what has no place in a plan's arena: tensors in another format. A block
/// is used again once its last step is over.
class SpareBlocks {
 public:
  /// Of `bytes` from step `now` to step `last`, both included: the smallest that is free and large
  /// enough, otherwise a new one. Steps do not go back. Returns its number; a new one is the
  /// largest number so far.
  std::size_t take(std::int64_t bytes, std::size_t now, std::size_t last);
  std::size_t count() const { return blocks_.size(); }
  /// Of all of them.
  std::int64_t bytes() const;

 private:
  struct Block {
    std::int64_t bytes = 0;
    std::size_t last = 0;
  };
  std::vector<Block> blocks_;
};

}  // namespace benanza
