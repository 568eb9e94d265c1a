#include <algorithm>

#include "core/base/error.h"
#include "core/problem/ops/copy.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"
#include "generator/onnx/operators/shared/views.h"

namespace benanza::onnx {
namespace {

const Dims& image(const NodeView& node) {
  const Dims& dims = node.shape(0);
  if (dims.size() < 3) throw NotExpressible("an input without n, c and a spatial axis");
  return dims;
}

Lowered lower_instance_normalization(const NodeView& node) {
  const Dims& input = image(node);
  for (const std::size_t index : {1, 2}) {
    if (node.shape(index) != Dims{input[1]}) {
      throw Error("input \"" + node.input(index).name + "\" of " + join(node.shape(index), 'x') +
                  " for " + std::to_string(input[1]) + " channels");
    }
  }
  return measured(
      {call(InstanceNormalization{.input = input, .epsilon = node.real("epsilon", 1e-5F)},
            {from_input(0), from_input(1), from_input(2)})});
}

/// Each group is normalized as one channel. Scale and bias have one value per channel (from opset
/// 21) or per group and become separate calls.
Lowered lower_group_normalization(const NodeView& node) {
  const Dims& input = image(node);
  if (input[1] == 0) return free_layer("its result is empty");
  const std::int64_t groups = node.integer("num_groups", 0);
  if (groups < 1 || input[1] % groups != 0) {
    throw Error(std::to_string(groups) + " groups do not divide " + std::to_string(input[1]) +
                " channels");
  }
  const std::int64_t plane = element_count({input.begin() + 2, input.end()});
  const float epsilon = node.real("epsilon", 1e-5F);
  const std::int64_t scales = element_count(node.shape(1));
  Dims normalized{input[0], groups, input[1] / groups * plane};
  if (scales == input[1] && scales != groups) {
    normalized = {input[0], groups, input[1] / groups, plane};
  }
  std::vector<Call> calls{call(
      InstanceNormalization{.input = std::move(normalized), .epsilon = epsilon, .affine = false},
      {from_input(0)})};
  if ((scales != groups && scales != input[1]) || element_count(node.shape(2)) != scales) {
    throw Error("scale and bias of " + std::to_string(scales) + " values for " +
                std::to_string(groups) + " groups of " + std::to_string(input[1]) + " channels");
  }
  const Dims view{input[0], scales, input[1] / scales * plane};
  for (const int index : {1, 2}) {
    const auto place = static_cast<std::size_t>(index);
    calls.push_back(elementwise_call(index == 1 ? BinaryKind::mul : BinaryKind::add,
                                     {view, false, from_call(index - 1)},
                                     {{scales, 1}, node.input(place).constant, from_input(index)}));
  }
  return measured(std::move(calls));
}

/// Over axes 0, 2, 3 by default: a layer normalization of rows, with copies before and after it
/// unless the kept axes already come first.
Lowered lower_mean_variance(const NodeView& node) {
  const Dims& input = node.shape(0);
  std::vector<bool> reduced(input.size(), false);
  for (const std::int64_t axis : node.integers("axes").value_or(Dims{0, 2, 3})) {
    reduced[static_cast<std::size_t>(NodeView::axis(axis, input.size()))] = true;
  }
  const Dims strides = dense_strides(input);
  View view;
  for (const bool last : {false, true}) {
    for (std::size_t axis = 0; axis < input.size(); ++axis) {
      if (reduced[axis] != last) continue;
      view.dims.push_back(input[axis]);
      view.strides.push_back(strides[axis]);
    }
  }
  const auto kept = std::count(reduced.begin(), reduced.end(), false);
  const auto middle = view.dims.begin() + kept;
  constexpr float epsilon = 1e-9F;
  const LayerNormalization rows{.rows = element_count({view.dims.begin(), middle}),
                                .length = element_count({middle, view.dims.end()}),
                                .epsilon = epsilon};
  const View dense = dense_view(view.dims);
  if (view.strides == dense.strides) return measured({call(rows, {from_input(0)})});
  std::vector<Call> calls{copy_call(view, dense), call(rows, {from_call(0)}),
                          copy_call(dense, view)};
  calls.back().operands = {from_call(1)};
  return measured(std::move(calls));
}

/// x divided by its norm along an axis.
Lowered lower_lp_normalization(const NodeView& node) {
  const Dims& input = node.shape(0);
  const std::int64_t axis = NodeView::axis(node.integer("axis", -1), input.size());
  const std::int64_t p = node.integer("p", 2);
  const Reduction norm{
      .kind = p == 1 ? ReductionKind::l1 : ReductionKind::l2, .input = input, .axes = {axis}};
  return measured(
      {call(norm, {from_input(0)}), elementwise_call(BinaryKind::div, {input, false, from_input(0)},
                                                     {norm.output(), false, from_call(0)})});
}

}  // namespace

void register_instance_normalization(OperatorTable& table) {
  table.add("InstanceNormalization",
            {.shapes = {like_first_until_5}, .lower = lower_instance_normalization});
  table.add("GroupNormalization", {.shapes = {{like_first}},
                                   .lower = lower_group_normalization,
                                   .idle_attributes = {"stash_type"}});
  table.add("MeanVarianceNormalization", {.lower = lower_mean_variance});
  table.add("LpNormalization", {.lower = lower_lp_normalization});
  table.add("com.microsoft.GroupNorm",
            {.shapes = {{like_first}},
             .unsupported = "no library here normalizes groups with channels innermost"});
}

}  // namespace benanza::onnx
