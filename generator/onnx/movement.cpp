#include "onnx/movement.h"

#include "problem/ops/copy.h"

namespace benanza {

Call copy_call(const View& from, const View& to, int output) {
  const Copy copy{.dims = from.dims, .from = from.strides, .to = to.strides};
  Call result = call(copy.canonical(), {from_input(0)});
  result.from_offset = from.offset;
  result.to_offset = to.offset;
  result.output = output;
  return result;
}

View dense_view(const Dims& dims) { return {dims, dense_strides(dims), 0}; }

}  // namespace benanza
