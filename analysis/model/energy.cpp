#include "analysis/model/energy.h"

#include <algorithm>

namespace benanza::analysis {
namespace {

/// Joules of all calls of a layer; empty if one is unknown, or the time is an estimate.
std::optional<double> joules_of(const LayerTime& time) {
  if (time.calls.empty() && time.seconds.value_or(0) > 0) return std::nullopt;
  double sum = 0;
  for (const Measurement* const call : time.calls) {
    if (!call->joules) return std::nullopt;
    sum += *call->joules;
  }
  return sum;
}

}  // namespace

ModelEnergy energy_of(const std::vector<LayerTime>& times, Movement movement) {
  ModelEnergy energy;
  for (std::size_t layer = 0; layer < times.size(); ++layer) {
    if (!is_counted(times[layer], movement)) continue;
    energy.seconds += *times[layer].seconds;
    const auto joules = joules_of(times[layer]);
    if (!joules) continue;
    energy.layers.push_back({layer, *joules});
    energy.joules += *joules;
    energy.known_seconds += *times[layer].seconds;
  }
  std::ranges::stable_sort(energy.layers, std::ranges::greater{}, &LayerEnergy::joules);
  return energy;
}

std::optional<double> ModelEnergy::complete_joules() const {
  return !layers.empty() && known_seconds == seconds ? std::optional(joules) : std::nullopt;
}

}  // namespace benanza::analysis
