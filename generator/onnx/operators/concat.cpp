#include <type_traits>

#include "core/base/error.h"
#include "core/problem/ops/copy.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
namespace {

std::vector<TensorFacts> concat_shape(const NodeView& node) {
  Dims dims = node.shape(0);
  const auto axis = static_cast<std::size_t>(NodeView::axis(node.integer("axis", 1), dims.size()));
  for (std::size_t index = 1; index < node.input_count(); ++index) {
    const Dims& part = node.shape(index);
    if (part.size() != dims.size()) throw Error("joins tensors of different ranks");
    dims[axis] += part[axis];
  }
  return {{node.input(0).type, dims}};
}

std::vector<Literal> fold_concat(const NodeView& node) {
  const auto axis = at(NodeView::axis(node.integer("axis", 1), node.shape(0).size()));
  const Dims& dims = node.shape(0);
  const Dims outer(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(axis));
  Literal joined = pick(node.literal(0), {});
  for (std::int64_t block = 0; block < element_count(outer); ++block) {
    for (std::size_t part = 0; part < node.input_count(); ++part) {
      const Dims& extents = node.shape(part);
      const std::int64_t run = extents.at(axis) * dense_strides(extents)[axis];
      std::visit(
          [&](auto& values) {
            const auto& source = std::get<std::decay_t<decltype(values)>>(node.literal(part));
            if (std::ssize(source) != run * element_count(outer)) {
              throw Error("joins tensors that do not fit");
            }
            values.insert(values.end(), source.begin() + block * run,
                          source.begin() + (block + 1) * run);
          },
          joined);
    }
  }
  return {joined};
}

Lowered lower_concat(const NodeView& node) {
  const auto rank = node.shape(0).size();
  Concat shape;
  shape.axis = NodeView::axis(node.integer("axis", 1), rank);
  std::vector<Source> operands;
  for (std::size_t index = 0; index < node.input_count(); ++index) {
    const Dims& part = node.shape(index);
    if (part.size() != rank) throw Error("joins tensors of different ranks");
    if (element_count(part) == 0) continue;
    Dims like_first = shape.parts.empty() ? part : shape.parts.front();
    like_first[static_cast<std::size_t>(shape.axis)] = part[static_cast<std::size_t>(shape.axis)];
    if (part != like_first) {
      throw Error("joins " + join(part, 'x') + " to " + join(shape.parts.front(), 'x') +
                  " along axis " + std::to_string(shape.axis));
    }
    shape.parts.push_back(part);
    operands.push_back(from_input(index));
  }
  if (shape.parts.size() == 1) return free_layer("its only input");
  return movement({call(std::move(shape), std::move(operands))});
}

}  // namespace

void register_concat(OperatorTable& table) {
  table.add("Concat",
            {.shapes = {{concat_shape, 1, 3}}, .fold = fold_concat, .lower = lower_concat});
}

}  // namespace benanza::onnx
