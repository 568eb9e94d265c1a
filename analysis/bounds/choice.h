#pragma once

#include <optional>
#include <string>

#include "problem/precision.h"

namespace benanza {

/// Which measurements may answer for a layer: the fastest of those admitted is taken.
struct Choice {
  Precision precision = Precision::fp32;
  /// Empty: every layout. Problems without a channel order (`plain`) are always admitted.
  std::optional<Layout> layout{};
  /// Empty: every backend.
  std::optional<std::string> backend{};
  /// Caches flushed before every call. Cold and hot times are never mixed.
  bool cold = false;
  /// Precision of the layers that the library does not support at `precision`.
  std::optional<Precision> fallback{};
};

}  // namespace benanza
