#pragma once

#include "core/problem/ops/binary.h"
#include "generator/lowered/lowered.h"

namespace benanza::onnx {

/// An operand of an elementwise call.
struct ElementwiseOperand {
  Dims dims;
  bool constant = false;
  Source source;
};

/// The call that combines `a` and `b`: ranks made equal by leading ones, and, where the function
/// commutes, the operand that is broadcast or constant second.
Call elementwise_call(BinaryKind kind, ElementwiseOperand a, ElementwiseOperand b);

}  // namespace benanza::onnx
