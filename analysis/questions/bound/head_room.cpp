// What each layer could give back: by a better call, and by fewer multiplications.

#include "analysis/questions/bound/ladder.h"

#include <algorithm>
#include <stdexcept>

#include "analysis/questions/bound/report.h"
#include "analysis/render/table.h"
#include "analysis/render/text.h"
#include "core/problem/least_work.h"

namespace benanza::analysis {
namespace {

/// Some calls do not say in their name that they multiply transforms, only in those of their
/// kernels.
bool transforms(const Measurement& call) {
  return multiplies_transforms(call.variant.algorithm) ||
         std::ranges::any_of(call.kernels, multiplies_transforms);
}

}  // namespace

std::optional<double> multiplying_seconds(const LayerTime& time, const DeviceRates& rates) {
  if (!rates.flops_per_second || !time.seconds) return std::nullopt;
  double flops = 0;
  for (const Measurement* call : time.calls) {
    if (transforms(*call)) return std::nullopt;
    try {
      flops += direct_flops(parse(call->variant.key));
    } catch (const std::invalid_argument&) {
      return std::nullopt;
    }
  }
  const double seconds = flops / *rates.flops_per_second;
  // Much faster than the peak allows: it multiplied less, and does not say so.
  constexpr double tolerated = 1.1;
  if (seconds > tolerated * *time.seconds) return std::nullopt;
  return seconds;
}

std::optional<double> Ladder::layer_floor(std::size_t layer) const {
  if (layer >= floor.layers.size() || !seconds[layer]) return std::nullopt;
  return floor.layers[layer].seconds();
}

std::optional<double> Ladder::head_room(std::size_t layer) const {
  const std::optional<double> least = layer_floor(layer);
  if (!least || *least <= 0) return std::nullopt;
  return *seconds[layer] / *least;
}

std::optional<double> Ladder::peak_seconds(std::size_t layer) const {
  const std::optional<double> least = layer_floor(layer);
  if (!least) return std::nullopt;
  const Floor& by = floor.layers[layer];
  const std::optional<double>& multiplying = multiplying_seconds[layer];
  // With memory alone known, that is the share; with arithmetic alone, the other.
  if (!multiplying && by.arithmetic_seconds && !by.is_by_memory()) return std::nullopt;
  return std::max(multiplying.value_or(0), by.memory_seconds.value_or(0));
}

std::optional<double> Ladder::reaches(std::size_t layer) const {
  const std::optional<double> peak = peak_seconds(layer);
  if (!peak || *peak <= 0 || *seconds[layer] <= 0) return std::nullopt;
  return *peak / *seconds[layer];
}

std::optional<double> Ladder::fewer_products(std::size_t layer) const {
  const std::optional<double> peak = peak_seconds(layer);
  const std::optional<double> least = layer_floor(layer);
  if (!peak || !least || *least <= 0) return std::nullopt;
  return std::max(1.0, *peak / *least);
}

Sheet head_room_sheet(const BoundReport& report) {
  const Ladder& ladder = report.ladder;
  const auto given_back = [&](std::size_t layer) {
    return *ladder.seconds[layer] - *ladder.layer_floor(layer);
  };
  std::vector<std::size_t> order;
  for (std::size_t layer = 0; layer < ladder.seconds.size(); ++layer) {
    const bool counted = is_counted(report.times[layer], report.movement);
    if (counted && ladder.layer_floor(layer)) order.push_back(layer);
  }
  std::ranges::stable_sort(order, std::ranges::greater{}, given_back);
  const auto of_ladder = [&](auto member) {
    return [&ladder, member](std::size_t layer) { return (ladder.*member)(layer); };
  };
  const auto& layers = report.graph->layers;
  const Table<std::size_t> table{
      {"layer", "", [&](std::size_t layer) { return layers[layer].name; }, name_width},
      {"op", "",
       [&](std::size_t layer) {
         const LayerTime& time = report.times[layer];
         return time.does.empty() ? layers[layer].op : time.fusion;
       }},
      {"gives back us", "", micro, given_back},
      {"us", "", micro, [&](std::size_t layer) { return ladder.seconds[layer]; }},
      {"floor us", "", micro, of_ladder(&Ladder::layer_floor)},
      {"head-room", "", times, of_ladder(&Ladder::head_room)},
      {"reaches", "", percent, of_ladder(&Ladder::reaches)},
      {"fewer products", "", times, of_ladder(&Ladder::fewer_products)},
      {"floor by", "", [&](std::size_t layer) {
         const Floor& least = ladder.floor.layers[layer];
         return *least.seconds() <= 0  ? "fits the cache"
                : least.is_by_memory() ? "memory"
                                       : "arithmetic";
       }}};
  return table.sheet(order, {.caption = "layers that could give back most: time beyond their floor",
                             .equal_ones = "layers"});
}

}  // namespace benanza::analysis
