#pragma once

#include <vector>

#include "generator/lowered/lowered.h"

namespace benanza::onnx {

/// A rotary embedding of the first elements of every row, of which the rest is passed on.
struct Rotation {
  /// Four axes, rows last.
  Dims rows = {};
  /// As Rotary::table, with an entry per point: half of what is rotated of a row.
  Dims table = {};
  bool interleaved = false;

  /// The rotation and, if it leaves a rest, the copy of the rest; `operands` are the rows, the
  /// cosines and the sines. Throws Error if the rows are shorter than what is rotated of them.
  std::vector<Call> calls(const std::vector<Source>& operands) const;
};

}  // namespace benanza::onnx
