#pragma once

#include <string_view>

namespace benanza {

/// First part of a key: "conv", "gemm", "relu", ...
inline std::string_view op_of(std::string_view key) { return key.substr(0, key.find('/')); }

/// True if the key's problem is of one of the shapes.
template <class... Shape>
bool asks_for(std::string_view key) {
  return (Shape::owns(op_of(key)) || ...);
}

}  // namespace benanza
