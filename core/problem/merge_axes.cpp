#include "core/problem/merge_axes.h"

#include <algorithm>

namespace benanza {

std::vector<Dims> merge_axes(const std::vector<Dims>& tensors) {
  std::vector<Dims> merged(tensors.size());
  std::vector<bool> last;
  for (std::size_t axis = 0; axis < tensors.front().size(); ++axis) {
    std::vector<bool> broadcast;
    for (const Dims& dims : tensors) broadcast.push_back(dims[axis] == 1);
    if (std::ranges::find(broadcast, false) == broadcast.end()) continue;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (broadcast != last) merged[i].push_back(1);
      merged[i].back() *= tensors[i][axis];
    }
    last = std::move(broadcast);
  }
  return merged;
}

}  // namespace benanza
