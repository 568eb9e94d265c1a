#include "core/base/error.h"
#include "generator/onnx/broadcast.h"
#include "generator/onnx/product.h"

namespace benanza::onnx::lower {
namespace {

const Dims& matrix(const Site& site, std::size_t index) {
  const Dims& dims = site.shape(index);
  if (dims.size() != 2) {
    throw Error("input \"" + site.input(index).name + "\" of " + join(dims, 'x') +
                " is not a matrix");
  }
  return dims;
}

Call scaled(const Dims& dims, float factor, Source source) {
  return call(Activation{.input = dims, .kind = ActivationKind::linear, .alpha = factor}, {source});
}

Source last(const std::vector<Call>& calls) {
  return from_call(static_cast<int>(calls.size()) - 1);
}

}  // namespace

Lowered gemm(const Site& site) {
  const Node& node = site.node();
  const Dims& a = matrix(site, 0);
  const Dims& b = matrix(site, 1);
  Gemm shape;
  shape.transpose_a = node.integer("transA", 0) != 0;
  shape.transpose_b = node.integer("transB", 0) != 0;
  shape.m = a[shape.transpose_a ? 1 : 0];
  shape.k = a[shape.transpose_a ? 0 : 1];
  shape.n = b[shape.transpose_b ? 0 : 1];
  shape.constant_b = site.input(1).constant;
  if (b[shape.transpose_b ? 1 : 0] != shape.k) {
    throw Error(join(a, 'x') + " and " + join(b, 'x') + " do not multiply");
  }
  const float alpha = node.real("alpha", 1);
  const bool fold_alpha = shape.constant_b;
  std::vector<Call> calls{call(shape, {from_input(0), from_input(1, fold_alpha ? alpha : 1.0F)})};
  const Dims product{shape.m, shape.n};
  if (!fold_alpha && alpha != 1) calls.push_back(scaled(product, alpha, last(calls)));
  const float beta = node.real("beta", 1);
  if (!site.has_input(2) || beta == 0) return measured(std::move(calls));

  const Source result = last(calls);
  const Dims addend = site.extents(2);
  const bool constant = site.input(2).constant;
  Source addend_source = from_input(2, constant ? beta : 1.0F);
  if (!constant && beta != 1) {
    calls.push_back(scaled(addend, beta, addend_source));
    addend_source = last(calls);
  }
  calls.push_back(elementwise_call(BinaryKind::add, {product, false, result},
                                   {addend, constant, addend_source}));
  if (output(calls.back().problem) != product) {
    throw Error("C of " + join(addend, 'x') + " does not broadcast to " + join(product, 'x'));
  }
  return measured(std::move(calls));
}

void register_gemm(LoweringTable& table) { table.add("Gemm", gemm); }

}  // namespace benanza::onnx::lower
