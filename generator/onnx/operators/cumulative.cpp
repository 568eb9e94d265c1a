#include <type_traits>

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

}  // namespace

void register_cumulative(OperatorTable& table) {
  table.add("CumSum", {.fold = fold_cumulative_sum,
                       .unsupported = "no library here has running sums",
                       .copies_integers = true,
                       .idle_attributes = {"exclusive", "reverse"}});
  table.add("CumProd",
            {.shapes = {{like_first}}, .unsupported = "no library here has running products"});
}

}  // namespace benanza::onnx
