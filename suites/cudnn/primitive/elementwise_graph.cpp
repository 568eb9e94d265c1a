#include "suites/cudnn/primitive/elementwise_graph.h"

#include <algorithm>
#include <string>
#include <utility>

#include "suites/cudnn/api/shape.h"
#include "suites/cudnn/graph/elementwise.h"
#include "suites/cudnn/graph/functions.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {
namespace {

using Id = OperationGraph::Id;

/// Extents of all operands, then those of the result, in as few axes as can be.
std::vector<Dims> merged(std::vector<Dims> tensors) {
  const Dims result = tensors.back();
  std::vector<Dims> found(tensors.size());
  std::vector<bool> last;
  for (std::size_t axis = 0; axis < result.size(); ++axis) {
    if (result[axis] == 1) continue;
    std::vector<bool> broadcast;
    for (const Dims& dims : tensors) broadcast.push_back(dims[axis] == 1);
    const bool joins = !last.empty() && broadcast == last;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (!joins) found[i].push_back(1);
      found[i].back() *= tensors[i][axis];
    }
    last = std::move(broadcast);
  }
  // One axis: rows and columns, as the library likes them.
  if (found.back().size() == 1) {
    const Dims matrix = as_matrix(found.back().front());
    for (Dims& dims : found) dims = dims.front() == 1 ? Dims{1, 1} : matrix;
  }
  return found;
}

void add_core(Chain& chain, OperationGraph& graph, const Shape& shape,
              const std::vector<nvidia::TensorFormat>& formats, const std::vector<Id>& bound) {
  if (const auto* function = std::get_if<Activation>(&shape)) {
    chain.add(
        [&, function](Id, Id y) { add_function(graph, *function, formats.back(), bound[0], y); });
    return;
  }
  const BinaryKind kind = std::get<Binary>(shape).kind;
  chain.add([&, kind](Id, Id y) {
    add_operation(graph, kind, formats[0], formats.back(), bound[0], bound[1], y);
  });
}

}  // namespace

Dims memory_order(const Dims& dims, Layout layout) {
  Dims ordered = dims;
  if (layout == Layout::nhwc && dims.size() > 2) {
    std::rotate(ordered.begin() + 1, ordered.begin() + 2, ordered.end());
  }
  return ordered;
}

GraphCall elementwise_graph(const harness::Variant& variant) {
  const Problem& problem = variant.problem;
  if (variant.precision == Precision::int8) {
    throw harness::Unsupported("int8 " + std::string(op(problem)) + " needs a scale of its own");
  }
  GraphCall call;
  std::vector<Dims> tensors;
  for (const Operand& operand : inputs(problem)) {
    call.inputs.push_back(dense(variant.precision, operand.dims, variant.layout));
    tensors.push_back(memory_order(operand.dims, variant.layout));
  }
  call.output = dense(variant.precision, output(problem), variant.layout);
  tensors.push_back(memory_order(output(problem), variant.layout));
  std::vector<nvidia::TensorFormat> formats;
  for (const Dims& dims : merged(std::move(tensors))) {
    formats.push_back(innermost_as_channels(variant.precision, dims));
    call.bound.push_back(call.graph.tensor(formats.back()));
  }
  Chain chain(call.graph, formats.back());
  add_core(chain, call.graph, problem.shape, formats, call.bound);
  std::size_t next = first_step_operand(problem);
  chain.add(problem.epilogue.steps, [&](const Dims&) { return call.bound[next++]; });
  chain.finish(call.bound.back());
  return call;
}

}  // namespace benanza::cudnn
