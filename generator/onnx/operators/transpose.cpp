#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/problem/ops/copy.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
namespace {

View transpose_view(const NodeView& transpose) {
  const Dims& dims = transpose.shape(0);
  Dims order = all_axes(dims.size());
  std::ranges::reverse(order);
  order = transpose.integers("perm").value_or(order);
  if (order.size() != dims.size()) throw Error("perm needs one value per axis");
  const Dims dense = dense_strides(dims);
  View view;
  std::set<std::int64_t> seen;
  for (const std::int64_t from : order) {
    const std::int64_t axis = NodeView::axis(from, dims.size());
    if (!seen.insert(axis).second) throw Error("perm names an axis twice");
    view.dims.push_back(dims[at(axis)]);
    view.strides.push_back(dense[at(axis)]);
  }
  return view;
}

std::vector<Literal> fold_transpose(const NodeView& node) {
  return {pick(node.literal(0), positions(transpose_view(node)))};
}

Lowered lower_transpose(const NodeView& node) {
  const View view = transpose_view(node);
  return movement({copy_call(view, dense_view(view.dims))});
}

}  // namespace

void register_transpose(OperatorTable& table) {
  table.add("Transpose", {.fold = fold_transpose, .lower = lower_transpose});
}

}  // namespace benanza::onnx
