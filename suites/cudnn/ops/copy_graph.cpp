#include "suites/cudnn/ops/copy_graph.h"

#include <algorithm>
#include <utility>

#include "suites/cudnn/solvers.h"

namespace benanza::cudnn {

std::vector<GraphCall> copy_graphs(const Copy& shape, const harness::Variant& variant) {
  // The library takes four axes for an image and broadcasts none whose channels are one.
  const bool repeats = std::ranges::find(shape.from, 0) != shape.from.end();
  const std::size_t least_axes = repeats ? 3 : 4;
  if (element_bytes(variant.precision) == 1) {
    throw harness::Unsupported("cuDNN's graphs move no bytes");
  }
  const auto flat = [&](std::int64_t elements) {
    return nvidia::tensor_format(variant.precision, {elements}, Layout::plain);
  };
  GraphCall call;
  call.inputs = {flat(shape.inputs().front().dims.front())};
  call.output = flat(shape.output().front());
  Copy copy = shape;
  while (copy.dims.size() < least_axes) {
    copy.from.insert(copy.from.begin(), call.inputs[0].dims[0]);
    copy.to.insert(copy.to.begin(), call.output.dims[0]);
    copy.dims.insert(copy.dims.begin(), 1);
  }
  nvidia::TensorFormat from{variant.precision, copy.dims, copy.from};
  for (std::size_t axis = 0; axis < from.dims.size(); ++axis) {
    if (from.strides[axis] != 0) continue;
    from.dims[axis] = 1;
    from.strides[axis] = 1;
  }
  const nvidia::TensorFormat to{variant.precision, copy.dims, copy.to};
  call.bound = {call.graph.tensor(from), call.graph.tensor(to)};
  if (from.dims == to.dims) {
    call.graph.pointwise({CUDNN_POINTWISE_IDENTITY}, call.bound[0], OperationGraph::none,
                         call.bound[1]);
  } else {
    call.graph.pointwise({CUDNN_POINTWISE_ADD}, call.bound[0],
                         call.graph.scalar(0, copy.dims.size()), call.bound[1]);
  }
  std::vector<GraphCall> found;
  found.push_back(std::move(call));
  return found;
}

void register_copy_graph(SolverTable& table) {
  table.add(
      graph_solver<Copy>([](const Copy&) { return std::vector{Layout::plain}; }, copy_graphs));
}

}  // namespace benanza::cudnn
