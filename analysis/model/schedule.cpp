#include "analysis/model/schedule.h"

#include <algorithm>

namespace benanza::analysis {

std::vector<Slot> parallel_schedule(const std::vector<Layer>& layers,
                                    std::span<const double> seconds) {
  std::vector<double> finish(layers.size());
  std::vector<Slot> slots;
  for (const std::size_t layer : topological_order(layers)) {
    double start = 0;
    for (const std::size_t input : layers[layer].inputs) start = std::max(start, finish[input]);
    finish[layer] = start + seconds[layer];
    if (seconds[layer] > 0)
      slots.push_back({.layer = layer, .start = start, .finish = finish[layer]});
  }
  std::ranges::stable_sort(slots, {}, &Slot::start);
  std::vector<double> free_at;
  for (Slot& slot : slots) {
    const auto lane =
        std::ranges::find_if(free_at, [&](double time) { return time <= slot.start; });
    slot.lane = static_cast<std::size_t>(lane - free_at.begin());
    if (lane == free_at.end()) {
      free_at.push_back(slot.finish);
    } else {
      *lane = slot.finish;
    }
  }
  return slots;
}

std::vector<Slot> sequential_schedule(const std::vector<Layer>& layers,
                                      std::span<const double> seconds) {
  std::vector<Slot> slots;
  double now = 0;
  for (const std::size_t layer : topological_order(layers)) {
    if (seconds[layer] <= 0) continue;
    slots.push_back({.layer = layer, .start = now, .finish = now + seconds[layer]});
    now += seconds[layer];
  }
  return slots;
}

}  // namespace benanza::analysis
