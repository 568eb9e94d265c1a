#include "core/base/error.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
namespace {

void check_gemm(const NodeView& node) {
  for (const std::size_t index : {0U, 1U}) {
    if (const auto rank = node.rank(index); rank && *rank != 2) {
      throw Error("multiplies a tensor of " + std::to_string(*rank) + " axes");
    }
  }
}

std::vector<TensorFacts> gemm_shape(const NodeView& node) {
  const Dims& a = node.shape(0);
  const Dims& b = node.shape(1);
  if (a.size() != 2 || b.size() != 2) throw Error("multiplies matrices only");
  const bool turns_a = node.flag("transA");
  const bool turns_b = node.flag("transB");
  return {{node.input(0).type, Dims{a[turns_a ? 1 : 0], b[turns_b ? 0 : 1]}}};
}

const Dims& matrix(const NodeView& node, std::size_t index) {
  const Dims& dims = node.shape(index);
  if (dims.size() != 2) {
    throw Error("input \"" + node.input(index).name + "\" of " + join(dims, 'x') +
                " is not a matrix");
  }
  return dims;
}

Call scaled(const Dims& dims, float factor, Source source) {
  return function_call(dims, ActivationKind::linear, source, factor);
}

/// alpha * op(A) op(B) + beta * C. A factor is folded into a constant operand when the model is
/// loaded; otherwise it becomes a separate call, unless it is 1.
Lowered lower_gemm(const NodeView& node) {
  const Dims& a = matrix(node, 0);
  const Dims& b = matrix(node, 1);
  Gemm shape;
  shape.transpose_a = node.flag("transA");
  shape.transpose_b = node.flag("transB");
  shape.m = a[shape.transpose_a ? 1 : 0];
  shape.k = a[shape.transpose_a ? 0 : 1];
  shape.n = b[shape.transpose_b ? 0 : 1];
  shape.constant_b = node.input(1).constant;
  if (b[shape.transpose_b ? 1 : 0] != shape.k) {
    throw Error(join(a, 'x') + " and " + join(b, 'x') + " do not multiply");
  }
  const float alpha = node.real("alpha", 1);
  const bool fold_alpha = shape.constant_b;
  std::vector<Call> calls{call(shape, {from_input(0), from_input(1, fold_alpha ? alpha : 1.0F)})};
  const Dims product{shape.m, shape.n};
  if (!fold_alpha && alpha != 1) calls.push_back(scaled(product, alpha, last_result(calls)));
  const float beta = node.real("beta", 1);
  if (!node.has_input(2) || beta == 0) return measured(std::move(calls));

  const Source result = last_result(calls);
  const Dims addend = node.extents(2);
  const bool constant = node.input(2).constant;
  Source addend_source = from_input(2, constant ? beta : 1.0F);
  if (!constant && beta != 1) {
    addend_source = add_call(calls, scaled(addend, beta, addend_source));
  }
  calls.push_back(elementwise_call(BinaryKind::add, {product, false, result},
                                   {addend, constant, addend_source}));
  if (output(calls.back().problem) != product) {
    throw Error("C of " + join(addend, 'x') + " does not broadcast to " + join(product, 'x'));
  }
  return measured(std::move(calls));
}

Lowered lower_fused_gemm(const NodeView& node) {
  Lowered lowered = lower_gemm(node);
  add_activation(node, activation_parameters(node), lowered.calls);
  return lowered;
}

}  // namespace

void register_gemm(OperatorTable& table) {
  table.add("Gemm", {.check = check_gemm,
                     .shapes = {{gemm_shape, 1, 5}},
                     .lower = lower_gemm,
                     .reads_all_constants = true,
                     .idle_attributes = {"broadcast"}});
  table.add("com.microsoft.FusedGemm", {.shapes = {{gemm_shape}}, .lower = lower_fused_gemm});
}

}  // namespace benanza::onnx
