#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/base/error.h"
#include "generator/onnx/model/node_view.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
namespace {

std::vector<Literal> fold_range(const NodeView& node) {
  const auto count = element_count(node.output_shape(0));
  return {std::visit(
      [&](const auto& start) -> Literal {
        std::decay_t<decltype(start)> values;
        std::decay_t<decltype(start)> delta{1};
        if (node.has_input(2)) delta = std::get<std::decay_t<decltype(start)>>(node.literal(2));
        for (std::int64_t index = 0; index < count; ++index) {
          if constexpr (std::is_integral_v<std::decay_t<decltype(start[0])>>) {
            values.push_back(checked_sum(start.at(0), checked_product(index, delta.at(0))));
          } else {
            values.push_back(start.at(0) + static_cast<double>(index) * delta.at(0));
          }
        }
        return values;
      },
      node.literal(0))};
}

/// From input 0 up to before input 1, in steps of input 2, or of one.
std::vector<TensorFacts> range_shape(const NodeView& node) {
  const double step = node.scalar(2, 1);
  if (step == 0) throw Error("steps of 0");
  const double count = std::ceil((node.scalar(1, 0) - node.scalar(0, 0)) / step);
  if (count > static_cast<double>(max_tensor_elements)) throw Error("more than a tensor holds");
  return {{node.input(0).type, Dims{static_cast<std::int64_t>(std::max(0.0, count))}}};
}

/// Adds an axis whose extent is the depth.
std::vector<TensorFacts> one_hot_shape(const NodeView& node) {
  Dims dims = node.shape(0);
  const auto axis = NodeView::axis(node.integer("axis", -1), dims.size() + 1);
  dims.insert(dims.begin() + axis, whole(node.scalar(1, 0)));
  return {{node.input(2).type, dims}};
}

std::vector<Literal> fold_one_hot(const NodeView& node) {
  const Dims& result = node.output_shape(0);
  const auto axis =
      static_cast<std::size_t>(NodeView::axis(node.integer("axis", -1), result.size()));
  const std::int64_t depth = result[axis];
  const std::int64_t step = dense_strides(result)[axis];
  // A real number stands for the whole one that it begins with.
  const auto place_of = [&](std::size_t index) {
    return std::visit(
        [&](const auto& values) { return static_cast<std::int64_t>(values.at(index)); },
        node.literal(0));
  };
  // The first of the two values is that of all other places.
  Dims chosen;
  for (std::int64_t flat = 0; flat < element_count(result); ++flat) {
    const std::int64_t index = flat / (depth * step) * step + flat % step;
    const std::int64_t stated = place_of(static_cast<std::size_t>(index));
    const std::int64_t place = stated < 0 ? stated + depth : stated;
    chosen.push_back(place == flat / step % depth ? 1 : 0);
  }
  return {pick(node.literal(2), chosen)};
}

/// Every way to make so many numbers writes them.
Lowered lower_numbers(const NodeView& node) {
  if (!node.output(0).shape) {
    throw NotExpressible("how many there are is only known when the model runs");
  }
  const std::int64_t count = element_count(*node.output(0).shape);
  if (count == 0) return free_layer("makes nothing");
  Lowered lowered = movement({proxy_copy(node, count)});
  lowered.reason = "no library has a call: a copy of the result";
  return lowered;
}

}  // namespace

void register_range(OperatorTable& table) {
  table.add("Range", {.fold = fold_range, .lower = lower_numbers, .idle_inputs = {1, 2}});
  table.add("com.microsoft.Range", {.shapes = {{range_shape}},
                                    .fold = fold_range,
                                    .lower = lower_numbers,
                                    .idle_inputs = {1, 2}});
  table.add("OneHot", {.shapes = {{one_hot_shape}},
                       .fold = fold_one_hot,
                       .lower = lower_numbers,
                       .idle_attributes = {"axis"},
                       .idle_inputs = {1, 2}});
}

}  // namespace benanza::onnx
