#include <string>
#include <type_traits>
#include <vector>

#include "core/problem/ops/copy.h"
#include "generator/onnx/model/node_view.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
namespace {

std::vector<Literal> fold_cumulative_sum(const NodeView& node) {
  const Dims& dims = node.shape(0);
  const std::size_t axis = at(NodeView::axis(whole(node.scalar(1, 0)), dims.size()));
  const bool exclusive = node.flag("exclusive");
  const bool reverse = node.flag("reverse");
  const std::int64_t stride = dense_strides(dims)[axis];
  const std::int64_t extent = dims[axis];
  Literal result = node.literal(0);
  std::visit(
      [&](auto& values) {
        using Value = std::decay_t<decltype(values[0])>;
        for (std::size_t flat = 0; flat < values.size(); ++flat) {
          if (static_cast<std::int64_t>(flat) / stride % extent != 0) continue;
          Value sum{};
          for (std::int64_t step = 0; step < extent; ++step) {
            const std::int64_t place = reverse ? extent - 1 - step : step;
            Value& value = values[flat + at(place * stride)];
            const Value before = sum;
            if constexpr (std::is_integral_v<Value>) {
              sum = checked_sum(sum, value);
            } else {
              sum += value;
            }
            value = exclusive ? before : sum;
          }
        }
      },
      result);
  return {result};
}

/// The matrix with ones where element `from` of an axis is a term of sum `to`: from x to if
/// `from_rows`, otherwise to x from.
std::vector<float> terms_of_sums(const NodeView& node, std::int64_t extent, bool from_rows) {
  const bool exclusive = node.flag("exclusive");
  const bool reverse = node.flag("reverse");
  std::vector<float> ones;
  for (std::int64_t row = 0; row < extent; ++row) {
    for (std::int64_t column = 0; column < extent; ++column) {
      const std::int64_t from = from_rows ? row : column;
      const std::int64_t to = from_rows ? column : row;
      const bool is_before = reverse ? from > to : from < to;
      ones.push_back(is_before || (from == to && !exclusive) ? 1.0F : 0.0F);
    }
  }
  return ones;
}

/// Products with a triangle of ones, as state-space models compute them on matrix units. Long sums
/// would multiply far more than they add.
Lowered lower_cumulative_sum(const NodeView& node) {
  constexpr std::int64_t most_terms = 512;
  const Dims& dims = node.shape(0);
  if (!node.has_input(1) || !node.input(1).literal) {
    throw NotExpressible("the axis is only known when the model runs");
  }
  const std::size_t axis = at(NodeView::axis(whole(node.scalar(1, 0)), dims.size()));
  const std::int64_t extent = dims[axis];
  if (extent > most_terms) {
    throw NotExpressible("running sums of " + std::to_string(extent) +
                         " elements, which no library here has");
  }
  const auto place = dims.begin() + static_cast<std::ptrdiff_t>(axis);
  const std::int64_t before = element_count({dims.begin(), place});
  const std::int64_t behind = element_count({place + 1, dims.end()});
  const bool is_last = behind == 1;
  const Source ones = from_numbers(terms_of_sums(node, extent, is_last));
  if (is_last) {
    return measured({product_call({before, extent}, from_input(0), {extent, extent}, ones, true)});
  }
  return measured(
      {product_call({1, extent, extent}, ones, {before, extent, behind}, from_input(0), false)});
}

}  // namespace

void register_cumulative(OperatorTable& table) {
  table.add("CumSum",
            {.fold = fold_cumulative_sum, .lower = lower_cumulative_sum, .copies_integers = true});
  table.add("CumProd",
            {.shapes = {{like_first}}, .unsupported = "no library here has running products"});
}

}  // namespace benanza::onnx
