#include "analysis/model/arena.h"

#include <algorithm>
#include <numeric>

namespace benanza::analysis {
namespace {

std::int64_t aligned(std::int64_t bytes) {
  return (bytes + arena_alignment - 1) / arena_alignment * arena_alignment;
}

}  // namespace

bool meet(const PlanBuffer& a, const PlanBuffer& b) {
  return a.last >= b.first && b.last >= a.first;
}

std::int64_t place_buffers(std::vector<PlanBuffer>& buffers, const ShareNoPlace& share_no_place) {
  std::vector<std::size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return buffers[a].bytes > buffers[b].bytes; });
  std::vector<std::size_t> placed;
  std::int64_t total = 0;
  for (const std::size_t index : order) {
    PlanBuffer& buffer = buffers[index];
    std::int64_t offset = 0;
    // By ascending offset: what lies in the way moves the place behind it.
    for (const std::size_t before : placed) {
      const PlanBuffer& other = buffers[before];
      if (!(share_no_place ? share_no_place(index, before) : meet(buffer, other))) continue;
      if (offset + buffer.bytes <= other.offset) break;
      offset = std::max(offset, aligned(other.offset + other.bytes));
    }
    buffer.offset = offset;
    total = std::max(total, aligned(offset + buffer.bytes));
    const auto place = std::ranges::lower_bound(
        placed, buffer.offset, {}, [&](std::size_t one) { return buffers[one].offset; });
    placed.insert(place, index);
  }
  return total;
}

}  // namespace benanza::analysis
