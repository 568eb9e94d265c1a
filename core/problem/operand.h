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
/// unsigned_bytes: whole numbers from 0 to 255.
enum class Domain { any, positive, truth, unsigned_bytes };

/// The values of a product's data, unsigned or signed. In keys, the word is_unsigned_word marks the
/// former.
constexpr Domain data_domain(bool is_unsigned) {
  return is_unsigned ? Domain::unsigned_bytes : Domain::any;
}
inline constexpr std::string_view is_unsigned_word = "u8";

/// One input of a problem. `dims` are logical, row-major, and independent of the layout.
struct Operand {
  std::string_view name;
  Dims dims;
  Role role = Role::data;
  Domain domain = Domain::any;
  bool operator==(const Operand&) const = default;
};

}  // namespace benanza
