#include "core/plan_file/spare_blocks.h"

namespace benanza {

std::size_t SpareBlocks::take(std::int64_t bytes, std::size_t now, std::size_t last) {
  std::size_t best = blocks_.size();
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (blocks_[i].last >= now || blocks_[i].bytes < bytes) continue;
    if (best == blocks_.size() || blocks_[i].bytes < blocks_[best].bytes) best = i;
  }
  if (best == blocks_.size()) blocks_.push_back({.bytes = bytes});
  blocks_[best].last = last;
  return best;
}

std::int64_t SpareBlocks::bytes() const {
  std::int64_t sum = 0;
  for (const Block& block : blocks_) sum += block.bytes;
  return sum;
}

}  // namespace benanza
