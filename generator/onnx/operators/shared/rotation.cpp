#include "generator/onnx/operators/shared/rotation.h"

#include "core/base/error.h"
#include "core/problem/ops/rotary.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/views.h"

namespace benanza::onnx {

std::vector<Call> Rotation::calls(const std::vector<Source>& operands) const {
  const std::int64_t size = rows.back();
  const std::int64_t rotated = 2 * table.back();
  if (rotated > size || rotated == 0) {
    throw Error("rotates " + std::to_string(rotated) + " elements of rows of " +
                std::to_string(size));
  }
  Rotary shape{.input = rows, .table = table, .interleaved = interleaved};
  shape.input.back() = rotated;
  std::vector<Call> calls{call(shape, operands)};
  if (rotated == size) return calls;
  View rest{rows, dense_strides(rows), rotated};
  rest.dims.back() = size - rotated;
  calls.push_back(copy_call(rest, rest));
  calls.back().operands = {operands.front()};
  for (Call& part : calls) part.writes_part = true;
  return calls;
}

}  // namespace benanza::onnx
