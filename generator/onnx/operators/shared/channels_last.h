#pragma once

#include <algorithm>

#include "core/problem/text.h"

namespace benanza::onnx {

/// n, spatial extents, c as n, c, spatial extents.
inline Dims channels_second(Dims dims) {
  if (dims.size() > 2) std::rotate(dims.begin() + 1, dims.end() - 1, dims.end());
  return dims;
}

/// The other way round.
inline Dims channels_last(Dims dims) {
  if (dims.size() > 2) std::rotate(dims.begin() + 1, dims.begin() + 2, dims.end());
  return dims;
}

}  // namespace benanza::onnx
