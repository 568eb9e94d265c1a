#pragma once

#include "core/problem/ops/window.h"

namespace benanza::cudnn {

/// How a window's pads, all begins then all ends, are given to a library that knows one pad per
/// axis, for both sides. `symmetric` goes to the library; `begin` and `end` are added to the input
/// by a copy before the call (zero where the library's pad does it all). One value per axis.
struct Padding {
  Dims symmetric;
  Dims begin;
  Dims end;
  bool needs_copy() const;
  bool operator==(const Padding&) const = default;
};

/// The cheapest split that computes exactly the same outputs. The begin pad serves for both sides
/// wherever the output's extent stays the same: taps beyond the end read padding either way. An
/// end pad that no window reaches is dropped.
Padding split_padding(const Window& window, const Dims& spatial);

}  // namespace benanza::cudnn
