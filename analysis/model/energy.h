#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/model/bounds.h"
#include "analysis/model/layer_time.h"

namespace benanza::analysis {

struct LayerEnergy {
  std::size_t layer = 0;
  double joules = 0;
};

/// Energy of the calls that the bound rests on, one after the other.
struct ModelEnergy {
  /// Largest first; layers with a call of unknown energy are left out.
  std::vector<LayerEnergy> layers;
  double joules = 0;
  /// The bound of these layers, and of all.
  double known_seconds = 0;
  double seconds = 0;

  /// The joules, if the energy of every call is known.
  std::optional<double> complete_joules() const;
};

ModelEnergy energy_of(const std::vector<LayerTime>& times, Movement movement);

}  // namespace benanza::analysis
