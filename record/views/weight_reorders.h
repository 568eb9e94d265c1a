#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "record/store/recording.h"

namespace benanza {

/// Reorders of weights that a program repeats in every step instead of once when it loads them.
struct WeightReorders {
  std::int64_t calls = 0;
  double seconds = 0;
  /// Of all calls of the library in the recording.
  double all_seconds = 0;
  /// How many kinds of calls (equal sizes and formats) have such weights, and the problem of the
  /// one whose weights take longest.
  std::size_t kinds = 0;
  std::string worst{};
  double worst_seconds = 0;
};

/// Of oneDNN's calls: reorders into the format and size of a product's weights that run as often as
/// the product. No calls if there are none, or if the recording is too short to tell: every product
/// must have run at least three times.
WeightReorders weight_reorders(const std::vector<CallTotal>& totals);

}  // namespace benanza
