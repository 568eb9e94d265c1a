#include <utility>

#include "core/base/error.h"
#include "core/problem/ops/collective.h"
#include "generator/onnx/model/node_view.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

/// Sums over several GPUs, of which the model is one's share.
namespace benanza::onnx {
namespace {

Lowered lower_all_reduce(const NodeView& node) {
  if (!is_floating(node.input(0).type)) {
    throw NotExpressible("a sum of " + type_name(node.input(0).type));
  }
  const std::int64_t ranks = node.integer("group_size", 1);
  const Collective sum{
      .kind = CollectiveKind::all_reduce, .elements = node.elements(0), .ranks = ranks};
  if (ranks < 2 || ranks > Collective::most_ranks) {
    throw Error("a group_size of " + std::to_string(ranks));
  }
  // The problem's result is that of all ranks.
  Call shared = call(sum, {from_input(0)});
  shared.is_proxy = true;
  return measured({std::move(shared)});
}

}  // namespace

void register_all_reduce(OperatorTable& table) {
  table.add(
      "com.microsoft.AllReduce",
      {.shapes = {{like_first}}, .lower = lower_all_reduce, .idle_attributes = {"group_size"}});
}

}  // namespace benanza::onnx
