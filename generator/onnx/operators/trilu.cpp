#include <algorithm>

#include "core/base/error.h"
#include "core/problem/ops/select.h"
#include "generator/onnx/model/node_view.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
namespace {

/// Keeps one side of a diagonal of the last two axes.
std::vector<Literal> fold_trilu(const NodeView& node) {
  const Dims& dims = node.shape(0);
  if (dims.size() < 2) throw Error("needs at least two axes");
  const std::int64_t diagonal = whole(node.scalar(1, 0));
  const bool upper = node.flag("upper", true);
  const std::int64_t rows = dims.end()[-2];
  const std::int64_t columns = dims.end()[-1];
  Literal result = node.literal(0);
  std::visit(
      [&](auto& values) {
        for (std::size_t index = 0; index < values.size(); ++index) {
          const std::int64_t column = static_cast<std::int64_t>(index) % columns;
          const std::int64_t row = static_cast<std::int64_t>(index) / columns % rows;
          const bool kept = upper ? column - row >= diagonal : column - row <= diagonal;
          if (!kept) values[index] = 0;
        }
      },
      result);
  return {result};
}

/// A choice between the elements and 0, by a mask that is known when the model is loaded.
Lowered lower_trilu(const NodeView& node) {
  if (!is_floating(node.input(0).type)) {
    throw NotExpressible("a choice of " + type_name(node.input(0).type));
  }
  const Dims& dims = node.shape(0);
  if (dims.size() < 2) throw Error("needs at least two axes");
  if (node.has_input(1)) node.literal(1);
  Select shape;
  shape.condition = Dims(dims.size(), 1);
  std::copy(dims.end() - 2, dims.end(), shape.condition.end() - 2);
  shape.constant_condition = true;
  shape.a = {.dims = dims};
  shape.b = {.dims = {}, .value = 0.0F};
  return measured({call(std::move(shape), {from_attribute(Source::unstated), from_input(0)})});
}

}  // namespace

void register_trilu(OperatorTable& table) {
  const Operator trilu{.fold = fold_trilu,
                       .lower = lower_trilu,
                       .copies_integers = true,
                       .idle_attributes = {"upper"}};
  table.add("Trilu", trilu);
  Operator own = trilu;
  own.shapes = {{like_first}};
  table.add("com.microsoft.Trilu", own);
}

}  // namespace benanza::onnx
