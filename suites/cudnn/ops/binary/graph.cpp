#include "suites/cudnn/ops/binary/binary.h"

#include <string>
#include <utility>

#include "suites/cudnn/graph/elementwise.h"
#include "suites/cudnn/graph/functions.h"
#include "suites/cudnn/primitive/graph_solver.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {
namespace {

using Id = OperationGraph::Id;

struct Extents {
  Dims a;
  Dims b;
  Dims result;
};

/// Axes in the order in which they lie in memory; neighbours that are broadcast alike are one.
Extents merged(const Binary& shape, Layout layout) {
  const Dims a = memory_order(shape.a, layout);
  const Dims b = memory_order(shape.b, layout);
  const Dims result = memory_order(shape.output(), layout);
  Extents extents;
  std::pair<bool, bool> last;
  for (std::size_t axis = 0; axis < result.size(); ++axis) {
    if (result[axis] == 1) continue;
    const std::pair broadcast{a[axis] == 1, b[axis] == 1};
    if (!extents.result.empty() && broadcast == last) {
      extents.a.back() *= a[axis];
      extents.b.back() *= b[axis];
      extents.result.back() *= result[axis];
    } else {
      extents.a.push_back(a[axis]);
      extents.b.push_back(b[axis]);
      extents.result.push_back(result[axis]);
    }
    last = broadcast;
  }
  if (extents.result.size() == 1 && extents.a == extents.result) {
    const bool is_scalar = extents.b.front() == 1;
    extents.a = extents.result = as_matrix(extents.result.front());
    extents.b = is_scalar ? Dims{1, 1} : extents.a;
  }
  return extents;
}

}  // namespace

std::vector<GraphCall> binary_graphs(const Binary& shape, const harness::Variant& variant) {
  if (variant.precision == Precision::int8) {
    throw harness::Unsupported("int8 " + std::string(shape.op()) + " needs a scale of its own");
  }
  const Extents extents = merged(shape, variant.layout);
  GraphCall call;
  OperationGraph& graph = call.graph;
  call.inputs = {dense(variant.precision, shape.a, variant.layout),
                 dense(variant.precision, shape.b, variant.layout)};
  call.output = dense(variant.precision, shape.output(), variant.layout);
  // The same places, seen as fewer axes.
  const nvidia::TensorFormat left = innermost_as_channels(variant.precision, extents.a);
  const nvidia::TensorFormat result = innermost_as_channels(variant.precision, extents.result);
  const Id a = graph.tensor(left);
  const Id b = graph.tensor(innermost_as_channels(variant.precision, extents.b));
  const Id y = graph.tensor(result);
  call.bound = {a, b, y};
  add_operation(graph, shape.kind, left, result, a, b, y);
  std::vector<GraphCall> found;
  found.push_back(std::move(call));
  return found;
}

}  // namespace benanza::cudnn
