#pragma once

#include <string_view>

#include "core/problem/text.h"

namespace benanza {

/// data: changes with every inference; stored in the variant's layout. weights: constant at
/// inference; stored in the library's preferred format (packed once, when the model is loaded).
/// cache: data of which each inference writes only a part, as the keys and values of earlier tokens
/// are: like weights, they lie in memory until they are read.
enum class Role { data, weights, cache };

/// Values an operand can take. positive: greater than zero (variances, divisors). truth: 0 or 1.
enum class Domain { any, positive, truth };

/// One input of a problem. `dims` are logical, row-major, and independent of the layout.
struct Operand {
  std::string_view name;
  Dims dims;
  Role role = Role::data;
  Domain domain = Domain::any;
  bool operator==(const Operand&) const = default;
};

}  // namespace benanza
