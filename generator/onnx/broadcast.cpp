#include "generator/onnx/broadcast.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"

namespace benanza::onnx {
namespace {

bool commutes(BinaryKind kind) {
  return kind == BinaryKind::add || kind == BinaryKind::mul || kind == BinaryKind::max ||
         kind == BinaryKind::min;
}

}  // namespace

Call elementwise_call(BinaryKind kind, ElementwiseOperand a, ElementwiseOperand b) {
  const std::size_t rank = std::max({a.dims.size(), b.dims.size(), std::size_t{1}});
  for (ElementwiseOperand* operand : {&a, &b}) {
    operand->dims.insert(operand->dims.begin(), rank - operand->dims.size(), 1);
  }
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (a.dims[axis] != b.dims[axis] && a.dims[axis] != 1 && b.dims[axis] != 1) {
      throw Error(join(a.dims, 'x') + " and " + join(b.dims, 'x') + " do not broadcast");
    }
  }
  if (commutes(kind)) {
    const std::int64_t a_count = element_count(a.dims);
    const std::int64_t b_count = element_count(b.dims);
    if (a_count < b_count || (a_count == b_count && a.constant && !b.constant)) std::swap(a, b);
  }
  return {.problem = {Binary{.kind = kind, .a = a.dims, .b = b.dims, .constant_b = b.constant}, {}},
          .operands = {a.source, b.source}};
}

}  // namespace benanza::onnx
