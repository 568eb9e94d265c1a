#include "core/base/error.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
namespace {

/// A MatMul whose operands may be stored transposed.
std::vector<TensorFacts> fused_matmul_shape(const NodeView& node) {
  Dims a = node.shape(0);
  Dims b = node.shape(1);
  if (a.size() < 2 || b.size() < 2) throw NotExpressible("vectors");
  if (node.integer("transBatchA", 0) != 0 || node.integer("transBatchB", 0) != 0) {
    throw NotExpressible("batches that are stored transposed");
  }
  const bool transposed_a = node.integer("transA", 0) != 0;
  const bool transposed_b = node.integer("transB", 0) != 0;
  const std::int64_t m = a.end()[transposed_a ? -1 : -2];
  const std::int64_t n = b.end()[transposed_b ? -2 : -1];
  a.resize(a.size() - 2);
  b.resize(b.size() - 2);
  Dims dims = broadcast_dims(a, b);
  dims.insert(dims.end(), {m, n});
  return {{node.input(0).type, dims}};
}

std::vector<TensorFacts> matmul_nbits_shape(const NodeView& node) {
  Dims dims = node.shape(0);
  if (dims.empty()) throw Error("an input without axes");
  dims.back() = node.integer("N", 0);
  return {{node.input(0).type, dims}};
}

Lowered lower_matmul(const NodeView& node) { return measured({matmul_call(node, {})}); }

/// A MatMul whose operands may be stored transposed, times alpha, which is folded into a constant
/// second operand or becomes a separate call.
Lowered lower_fused_matmul(const NodeView& node) {
  if (node.integer("transBatchA", 0) != 0 || node.integer("transBatchB", 0) != 0) {
    throw NotExpressible("batches that are stored transposed");
  }
  Call product =
      matmul_call(node, {}, node.integer("transA", 0) != 0, node.integer("transB", 0) != 0);
  const float alpha = node.real("alpha", 1);
  if (node.input(1).constant) {
    product.operands[1].scale = alpha;
    return measured({product});
  }
  std::vector<Call> calls{product};
  if (alpha != 1) {
    calls.push_back(call(
        Activation{
            .input = output(product.problem), .kind = ActivationKind::linear, .alpha = alpha},
        {from_call(0)}));
  }
  return measured(std::move(calls));
}

}  // namespace

void register_matmul(OperatorTable& table) {
  table.add("MatMul", {.lower = lower_matmul});
  table.add("com.microsoft.FusedMatMul",
            {.shapes = {{fused_matmul_shape}}, .lower = lower_fused_matmul});
  table.add("com.microsoft.MatMulNBits",
            {.shapes = {{matmul_nbits_shape}},
             .unsupported = "no library here multiplies by weights of 4 bits in blocks"});
}

}  // namespace benanza::onnx
