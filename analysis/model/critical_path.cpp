#include "analysis/model/critical_path.h"

#include <algorithm>
#include <numeric>

namespace benanza::analysis {

double sequential_seconds(std::span<const double> seconds) {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

CriticalPath critical_path(const std::vector<Layer>& layers, std::span<const double> seconds) {
  return critical_path(layers, topological_order(layers), seconds);
}

CriticalPath critical_path(const std::vector<Layer>& layers, const std::vector<std::size_t>& order,
                           std::span<const double> seconds) {
  constexpr auto none = static_cast<std::size_t>(-1);
  // finish[i]: the earliest end of layer i; before[i]: the input that ends last.
  std::vector<double> finish(layers.size());
  std::vector<std::size_t> before(layers.size(), none);
  std::size_t last = none;
  for (const std::size_t layer : order) {
    double start = 0;
    for (const std::size_t input : layers[layer].inputs) {
      if (before[layer] == none || finish[input] > start) {
        start = finish[input];
        before[layer] = input;
      }
    }
    finish[layer] = start + seconds[layer];
    if (last == none || finish[layer] > finish[last]) last = layer;
  }
  CriticalPath path;
  if (last == none) return path;
  path.seconds = finish[last];
  for (std::size_t layer = last; layer != none; layer = before[layer]) path.layers.push_back(layer);
  std::reverse(path.layers.begin(), path.layers.end());
  return path;
}

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
