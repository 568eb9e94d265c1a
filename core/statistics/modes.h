#pragma once

#include <optional>
#include <span>
#include <vector>

namespace benanza {

/// Values in two groups with a gap between them, each in ascending order.
struct TwoGroups {
  std::vector<double> low{};
  std::vector<double> high{};

  /// Whether each group has at least two values. A single value apart from all others may as well
  /// be a disturbance.
  bool are_modes() const { return low.size() >= 2 && high.size() >= 2; }
};

/// Splits positive values at their widest gap. Empty unless the gap is more than twice as wide as
/// the wider group and more than a tenth of the value below it, and for fewer than four values. Of
/// five values from one normal distribution with a deviation of 5%, fewer than 1% fall into two
/// modes.
std::optional<TwoGroups> two_groups(std::span<const double> values);

}  // namespace benanza
