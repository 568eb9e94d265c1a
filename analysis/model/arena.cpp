#include "analysis/model/arena.h"

#include <algorithm>
#include <numeric>

namespace benanza::analysis {
namespace {

std::int64_t aligned(std::int64_t bytes) {
  return (bytes + arena_alignment - 1) / arena_alignment * arena_alignment;
}

}  // namespace

std::int64_t place_buffers(std::vector<PlanBuffer>& buffers) {
  std::vector<std::size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return buffers[a].bytes > buffers[b].bytes; });
  std::vector<const PlanBuffer*> placed;
  std::int64_t total = 0;
  for (const std::size_t index : order) {
    PlanBuffer& buffer = buffers[index];
    std::int64_t offset = 0;
    // By ascending offset: what lies in the way moves the place behind it.
    for (const PlanBuffer* const other : placed) {
      if (other->last < buffer.first || buffer.last < other->first) continue;
      if (offset + buffer.bytes <= other->offset) break;
      offset = std::max(offset, aligned(other->offset + other->bytes));
    }
    buffer.offset = offset;
    total = std::max(total, aligned(offset + buffer.bytes));
    const auto place = std::ranges::lower_bound(placed, buffer.offset, {}, &PlanBuffer::offset);
    placed.insert(place, &buffer);
  }
  return total;
}

}  // namespace benanza::analysis
