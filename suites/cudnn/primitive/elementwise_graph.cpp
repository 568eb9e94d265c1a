#include "suites/cudnn/primitive/elementwise_graph.h"

#include <algorithm>
#include <string>
#include <utility>

#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/graph/elementwise.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {
namespace {

using Id = OperationGraph::Id;

void add_core(Chain& chain, OperationGraph& graph, const Shape& shape,
              const std::vector<nvidia::TensorFormat>& formats, const std::vector<Id>& bound,
              Comparison comparison) {
  if (const auto* function = std::get_if<Activation>(&shape)) {
    chain.add(
        [&, function](Id, Id y) { add_function(graph, *function, formats.back(), bound[0], y); });
    return;
  }
  if (const auto* select = std::get_if<Select>(&shape)) {
    chain.add([&, select](Id, Id y) {
      std::size_t next = 1;
      const auto alternative = [&](const Select::Alternative& one) {
        return one.value ? graph.scalar(*one.value, formats.back().dims.size()) : bound[next++];
      };
      const Id a = alternative(select->a);
      const Id b = alternative(select->b);
      // As in the library's own mask pattern, the tensor of full extents comes first.
      if (!select->b.value && select->b.dims == select->output()) {
        add_selection(graph, formats[0], formats.back(), bound[0], b, a, y, Chosen::where_zero);
      } else {
        add_selection(graph, formats[0], formats.back(), bound[0], a, b, y);
      }
    });
    return;
  }
  const BinaryKind kind = std::get<Binary>(shape).kind;
  chain.add([&, kind, comparison](Id, Id y) {
    add_operation(graph, kind, formats[0], formats.back(), bound[0], bound[1], y, comparison);
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

namespace {

/// With tensors that are broadcast, engines compute wrong results from some strides.
int strided_axes(const Problem& problem, Layout layout) {
  const Dims result = output(problem);
  if (layout == Layout::nhwc && result.size() > 2) return 0;
  const bool is_alike = std::ranges::all_of(inputs(problem), [&](const Operand& operand) {
    return operand.dims == result ||
           (operand.dims.size() == result.size() && element_count(operand.dims) == 1);
  });
  return is_alike ? most_strided_axes : 0;
}

/// The formats of operands and result in the variant's strides, which become the call's.
std::vector<nvidia::TensorFormat> in_strides(const harness::Variant& variant,
                                             const std::vector<Precision>& precisions,
                                             GraphCall& call) {
  if (call.strided_axes == 0) throw harness::Unsupported("strides of tensors that are broadcast");
  std::vector<Dims> tensors;
  std::vector<Dims> strides = variant.strides.operands;
  for (const Operand& operand : inputs(variant.problem)) tensors.push_back(operand.dims);
  strides.resize(tensors.size());
  for (std::size_t index = 0; index < tensors.size(); ++index) {
    if (strides[index].empty()) continue;
    call.inputs[index] = {precisions[index], tensors[index], strides[index]};
  }
  tensors.push_back(output(variant.problem));
  strides.push_back(variant.strides.result);
  if (!strides.back().empty()) {
    call.output = {precisions.back(), tensors.back(), strides.back()};
  }
  return strided_formats(precisions, tensors, std::move(strides));
}

}  // namespace

GraphCall elementwise_graph(const harness::Variant& variant, ElementwiseWay way) {
  const Problem& problem = variant.problem;
  if (variant.precision == Precision::int8) {
    throw harness::Unsupported("int8 " + std::string(op(problem)) + " needs a scale of its own");
  }
  GraphCall call;
  std::vector<Dims> tensors;
  std::vector<Precision> precisions;
  for (const Operand& operand : inputs(problem)) {
    const bool in_bytes = operand.domain == Domain::truth && way.truths == TruthValues::bytes;
    precisions.push_back(in_bytes ? Precision::int8 : variant.precision);
    call.inputs.push_back(dense(precisions.back(), operand.dims, variant.layout));
    tensors.push_back(memory_order(operand.dims, variant.layout));
  }
  call.output = dense(variant.precision, output(problem), variant.layout);
  tensors.push_back(memory_order(output(problem), variant.layout));
  precisions.push_back(variant.precision);
  call.strided_axes = strided_axes(problem, variant.layout);
  const auto formats = variant.strides == harness::Strides{}
                           ? merged_formats(precisions, std::move(tensors))
                           : in_strides(variant, precisions, call);
  for (const auto& format : formats) call.bound.push_back(call.graph().tensor(format));
  Chain chain(call.graph(), formats.back());
  add_core(chain, call.graph(), problem.shape, formats, call.bound, way.comparison);
  std::size_t next = first_step_operand(problem);
  chain.add(problem.epilogue.steps, [&](const Dims&) { return call.bound[next++]; });
  chain.finish(call.bound.back());
  return call;
}

}  // namespace benanza::cudnn
