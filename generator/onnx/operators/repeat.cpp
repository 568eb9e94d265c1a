#include "core/problem/ops/copy.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

/// Copies that read elements repeatedly.
namespace benanza::onnx {
namespace {

std::vector<Literal> fold_expand(const NodeView& node) {
  return {pick(node.literal(0), positions(broadcast_view(node.shape(0), node.output_shape(0))))};
}

std::vector<Literal> fold_tile(const NodeView& node) {
  const Dims& dims = node.shape(0);
  const Dims& out = node.output_shape(0);
  const Dims strides = dense_strides(dims);
  const Dims out_strides = dense_strides(out);
  std::vector<std::int64_t> from(at(element_count(out)), 0);
  for (std::size_t flat = 0; flat < from.size(); ++flat) {
    for (std::size_t axis = 0; axis < out.size(); ++axis) {
      const std::int64_t index =
          static_cast<std::int64_t>(flat) / out_strides[axis] % out[axis] % dims[axis];
      from[flat] += index * strides[axis];
    }
  }
  return {pick(node.literal(0), from)};
}

Lowered repeated(const NodeView& node, const View& from) {
  if (element_count(from.dims) == element_count(node.shape(0))) {
    return free_layer("repeats nothing");
  }
  return movement({copy_call(from, dense_view(from.dims))});
}

Lowered lower_expand(const NodeView& node) {
  return repeated(node, broadcast_view(node.shape(0), node.output_shape(0)));
}

/// Splits every axis into one of repetitions and one of elements.
Lowered lower_tile(const NodeView& node) {
  const Dims& dims = node.shape(0);
  const Dims& out = node.output_shape(0);
  const Dims strides = dense_strides(dims);
  if (out.size() != dims.size()) throw NotExpressible("repeats that add axes");
  View from;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] < 1 || out[axis] % dims[axis] != 0) throw NotExpressible("an empty input");
    from.dims.insert(from.dims.end(), {out[axis] / dims[axis], dims[axis]});
    from.strides.insert(from.strides.end(), {0, strides[axis]});
  }
  return repeated(node, from);
}

}  // namespace

void register_repeat(OperatorTable& table) {
  table.add("Expand", {.fold = fold_expand, .lower = lower_expand, .idle_inputs = {1}});
  table.add("Tile", {.fold = fold_tile, .lower = lower_tile, .idle_inputs = {1, 2}});
}

}  // namespace benanza::onnx
