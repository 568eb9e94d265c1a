#include <algorithm>

#include "core/base/error.h"
#include "core/problem/ops/copy.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"
#include "generator/onnx/operators/shared/sliding_window.h"

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

/// Each group of `input` (n, c, spatial extents) is normalized as one channel. Scale and bias
/// (inputs 1 and 2) have one value per channel or per group and become separate calls.
void normalize_groups(const NodeView& node, const Dims& input, std::int64_t groups, Source source,
                      std::vector<Call>& calls) {
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
  calls.push_back(call(
      InstanceNormalization{.input = std::move(normalized), .epsilon = epsilon, .affine = false},
      {source}));
  if ((scales != groups && scales != input[1]) || element_count(node.shape(2)) != scales) {
    throw Error("scale and bias of " + std::to_string(scales) + " values for " +
                std::to_string(groups) + " groups of " + std::to_string(input[1]) + " channels");
  }
  const Dims view{input[0], scales, input[1] / scales * plane};
  for (const int index : {1, 2}) {
    const auto place = static_cast<std::size_t>(index);
    calls.push_back(elementwise_call(index == 1 ? BinaryKind::mul : BinaryKind::add,
                                     {view, false, last_result(calls)},
                                     {{scales, 1}, node.input(place).constant, from_input(index)}));
  }
}

Lowered lower_group_normalization(const NodeView& node) {
  const Dims& input = image(node);
  if (input[1] == 0) return free_layer("its result is empty");
  std::vector<Call> calls;
  normalize_groups(node, input, node.integer("num_groups", 0), from_input(0), calls);
  return measured(std::move(calls));
}

/// Extents of images (n, c, spatial), of one value per channel, or of one per image and channel.
Dims of_image(const Dims& dims, bool last, std::size_t rank) {
  if (dims.size() == rank) return last ? channels_second(dims) : dims;
  if (dims.empty() || dims.size() > 2) throw Error(join(dims, 'x') + " is added to images");
  Dims channels = dims;
  channels.resize(dims.size() + rank - 2, 1);
  return channels;
}

/// Inputs: images, scale, bias and, with `skip`, addends of the images: one, and one per channel.
/// Their sum is output 1.
template <bool skip>
Lowered lower_microsoft_group_normalization(const NodeView& node) {
  const bool last = node.flag("channels_last", true);
  const Dims input = last ? channels_second(image(node)) : image(node);
  std::vector<Call> calls;
  Source source = from_input(0);
  for (const std::size_t place : {3, 4}) {
    if (!skip || !node.has_input(place)) continue;
    source = add_call(
        calls,
        elementwise_call(BinaryKind::add, {input, false, source},
                         operand_of(node, place, of_image(node.shape(place), last, input.size()))));
  }
  if (skip && calls.empty()) throw Error("nothing is added");
  if (skip && node.has_output(1)) calls.back().output = 1;
  normalize_groups(node, input, node.integer("groups", 0), source, calls);
  const std::int64_t function = node.integer("activation", 0);
  if (function != 0 && function != 1) {
    throw NotExpressible("the function " + std::to_string(function) + " behind it");
  }
  if (function == 1) {
    calls.push_back(function_call(input, ActivationKind::swish, last_result(calls), 1));
  }
  Lowered lowered = measured(std::move(calls));
  return last ? of_channels_last(node, std::move(lowered)) : lowered;
}

/// The result and the sum.
std::vector<TensorFacts> skip_group_normalization_shape(const NodeView& node) {
  const TensorFacts whole{node.input(0).type, node.input(0).shape};
  return {whole, whole};
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
  const auto kept = std::ranges::count(reduced, false);
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
            {.shapes = {{like_first}}, .lower = lower_microsoft_group_normalization<false>});
  table.add("com.microsoft.SkipGroupNorm", {.shapes = {{skip_group_normalization_shape}},
                                            .lower = lower_microsoft_group_normalization<true>});
}

}  // namespace benanza::onnx
