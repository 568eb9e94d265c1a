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

/// The matrix with ones where the element of a row is a term of a column's sum.
std::vector<float> terms_of_sums(const NodeView& node, std::int64_t extent) {
  const bool exclusive = node.flag("exclusive");
  const bool reverse = node.flag("reverse");
  std::vector<float> ones;
  for (std::int64_t from = 0; from < extent; ++from) {
    for (std::int64_t to = 0; to < extent; ++to) {
      const bool is_before = reverse ? from > to : from < to;
      ones.push_back(is_before || (from == to && !exclusive) ? 1.0F : 0.0F);
    }
  }
  return ones;
}

/// Products of short rows with a triangle of ones, as state-space models compute them on matrix
/// units. Longer ones, and sums of whole rows, multiply far more than they add: ONNX Runtime's loop
/// was faster from 512 elements on, and for rows of 128 from 256 on.
Lowered lower_cumulative_sum(const NodeView& node) {
  constexpr std::int64_t most_terms = 128;
  const Dims& dims = node.shape(0);
  if (!node.has_input(1) || !node.input(1).literal) {
    throw NotExpressible("the axis is only known when the model runs");
  }
  const std::size_t axis = at(NodeView::axis(whole(node.scalar(1, 0)), dims.size()));
  const std::int64_t extent = dims[axis];
  if (extent > most_terms || dense_strides(dims)[axis] != 1) {
    throw NotExpressible("no library here has running sums of " + std::to_string(extent) +
                         (extent > most_terms ? " elements" : " rows"));
  }
  const std::int64_t rows = extent == 0 ? 0 : element_count(dims) / extent;
  return measured({product_call({rows, extent}, from_input(0), {extent, extent},
                                from_numbers(terms_of_sums(node, extent)), true)});
}

}  // namespace

void register_cumulative(OperatorTable& table) {
  table.add("CumSum",
            {.fold = fold_cumulative_sum, .lower = lower_cumulative_sum, .copies_integers = true});
  table.add("CumProd",
            {.shapes = {{like_first}}, .unsupported = "no library here has running products"});
}

}  // namespace benanza::onnx
