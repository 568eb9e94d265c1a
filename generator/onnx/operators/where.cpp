#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/problem/ops/select.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
namespace {

/// Converts both alternatives to double if one of them holds doubles.
std::vector<Literal> fold_where(const NodeView& node) {
  const Dims& dims = node.output_shape(0);
  const Dims condition = node.integers(0);
  const auto condition_at = positions(broadcast_view(node.shape(0), dims));
  const auto a_at = positions(broadcast_view(node.shape(1), dims));
  const auto b_at = positions(broadcast_view(node.shape(2), dims));
  return {std::visit(
      [&](const auto& a, const auto& b) -> Literal {
        using Both = std::common_type_t<std::decay_t<decltype(a[0])>, std::decay_t<decltype(b[0])>>;
        std::vector<Both> result;
        for (std::size_t index = 0; index < condition_at.size(); ++index) {
          result.push_back(condition[at(condition_at[index])] != 0
                               ? static_cast<Both>(a[at(a_at[index])])
                               : static_cast<Both>(b[at(b_at[index])]));
        }
        return result;
      },
      node.literal(1), node.literal(2))};
}

/// The value of an input with one element, if it is known and not NaN.
std::optional<float> only_number(const NodeView& node, std::size_t index) {
  if (!node.input(index).literal || element_count(node.shape(index)) != 1) return std::nullopt;
  const double value =
      std::visit([](const auto& values) { return static_cast<double>(values.at(0)); },
                 *node.input(index).literal);
  if (std::isnan(value)) return std::nullopt;
  return static_cast<float>(value);
}

Lowered lower_where(const NodeView& node) {
  for (const std::size_t index : {1, 2}) {
    const int type = node.input(index).type;
    if (!is_floating(type)) throw NotExpressible("a choice of " + type_name(type));
  }
  const Dims result = broadcast_dims(broadcast_dims(node.shape(0), node.shape(1)), node.shape(2));
  const auto extended = [&](std::size_t index) {
    Dims dims = node.shape(index);
    dims.insert(dims.begin(), std::max<std::size_t>(result.size(), 1) - dims.size(), 1);
    return dims;
  };
  std::vector<Source> operands{from_input(0)};
  const auto alternative = [&](std::size_t index) -> Select::Alternative {
    if (const auto value = only_number(node, index)) return {.dims = {}, .value = value};
    operands.push_back(from_input(index));
    return {.dims = extended(index), .constant = node.input(index).constant};
  };
  Select shape;
  shape.condition = extended(0);
  shape.constant_condition = node.input(0).constant;
  shape.a = alternative(1);
  shape.b = alternative(2);
  return measured({call(std::move(shape), std::move(operands))}, Types::checked_by_lowering);
}

}  // namespace

void register_where(OperatorTable& table) {
  table.add("Where", {.fold = fold_where, .lower = lower_where, .copies_integers = true});
}

}  // namespace benanza::onnx
