#pragma once

#include <string_view>

#include "core/problem/problem.h"

namespace benanza {

/// Returns the shape of a key.
template <class Shape>
Shape shape_of(std::string_view key) {
  return std::get<Shape>(parse(key).shape);
}

}  // namespace benanza
