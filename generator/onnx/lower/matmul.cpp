#include "core/base/error.h"
#include "generator/onnx/lowering.h"
#include "generator/onnx/product.h"

namespace benanza::onnx::lower {
namespace {

Lowered matmul(const Site& site) { return measured({matmul_call(site, {})}); }

/// A MatMul of tensors that may be stored transposed, times alpha: a factor that goes into a
/// constant operand, else into a call of its own.
Lowered fused_matmul(const Site& site) {
  const Node& node = site.node();
  if (node.integer("transBatchA", 0) != 0 || node.integer("transBatchB", 0) != 0) {
    throw NotExpressible("batches that are stored transposed");
  }
  Call product =
      matmul_call(site, {}, node.integer("transA", 0) != 0, node.integer("transB", 0) != 0);
  const float alpha = node.real("alpha", 1);
  if (site.input(1).constant) {
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

void register_matmul(LoweringTable& table) {
  table.add("MatMul", matmul);
  table.add("com.microsoft.FusedMatMul", fused_matmul);
}

}  // namespace benanza::onnx::lower
