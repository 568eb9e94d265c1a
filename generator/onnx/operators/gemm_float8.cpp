#include "core/base/error.h"
#include "core/problem/precision.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

/// ONNX Runtime's product of matrices of fp8.
namespace benanza::onnx {
namespace {

std::vector<TensorFacts> gemm_float8_shape(const NodeView& node) {
  const Dims& a = node.shape(0);
  const Dims& b = node.shape(1);
  if (a.size() != 2 || b.size() != 2) throw Error("A and B need two axes each");
  const Dims made{a[node.flag("transA") ? 1 : 0], b[node.flag("transB") ? 0 : 1]};
  return {{static_cast<int>(node.integer("dtype", 1)), made}};
}

/// Inputs: A, B, an addend, and the scales of A, B and the result, which are part of the call.
Lowered lower_gemm_float8(const NodeView& node) {
  for (const std::size_t index : {0, 1}) {
    const std::string type = type_name(node.input(index).type);
    if (type != "float8e4m3fn") throw NotExpressible("a product of " + type);
  }
  if (node.real("alpha", 1) != 1 || node.real("beta", 0) != 0 || node.has_input(2)) {
    throw NotExpressible("a product of fp8 with factors or an addend");
  }
  if (node.text("activation", "NONE") != "NONE") throw NotExpressible("a function behind fp8");
  Lowered lowered = measured({matmul_call(node, {}, node.flag("transA"), node.flag("transB"))},
                             Types::checked_by_lowering);
  lowered.precision = to_string(Precision::fp8);
  return lowered;
}

}  // namespace

void register_gemm_float8(OperatorTable& table) {
  table.add("com.microsoft.GemmFloat8", {.shapes = {{gemm_float8_shape}},
                                         .lower = lower_gemm_float8,
                                         .reads_all_constants = true,
                                         .idle_attributes = {"dtype"},
                                         .idle_inputs = {3, 4, 5}});
}

}  // namespace benanza::onnx
